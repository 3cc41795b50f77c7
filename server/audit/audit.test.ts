import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runLatchkey } from '#tests/command-line.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';
import { signDueCheckpoints } from './checkpoints.ts';
import { eraseFromAudit } from './erasures.ts';
import { verifyAudit } from './verification.ts';

const AUDIT = '/v1/admin/audit-events';
const clock = new TestClock();
let latchkey: TestLatchkey;
let token: string;
let folder: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  token = await managementToken(latchkey);
  folder = await mkdtemp(join(tmpdir(), 'latchkey-audit-'));
});
after(async () => {
  await latchkey.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = (query: string, by = token) => latchkey.api(AUDIT + query, { token: by });

/** Waits until everything emitted so far is in the log. */
async function settled(): Promise<void> {
  await eventually(async () => {
    const { rows } = await latchkey.system.pool.query('select 1 from events where sequence is null');
    assert.equal(rows.length, 0);
  });
}

async function found(query: string): Promise<TestResponse['body']['items']> {
  const response = await get(query);
  assert.equal(response.status, 200, response.text);
  return response.body.items;
}

async function addRole(key: string, by = token): Promise<{ id: string; key: string }> {
  const { status, body, text } = await latchkey.api('/v1/admin/roles', { token: by, body: { key, name: key } });
  assert.equal(status, 201, text);
  return body;
}

describe('GET /v1/admin/audit-events', () => {
  test('records who did what to which record, and when', async () => {
    const role = await addRole('told');
    await settled();
    const [entry] = await found(`?resource=${role.id}`);
    const [, claims = ''] = token.split('.');
    const { applicationId } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    assert.deepEqual(
      { ...entry, id: null, sequence: null, correlationId: null, hash: null },
      {
        id: null,
        sequence: null,
        occurredAt: clock.now().toISOString(),
        action: 'role.created',
        actor: { kind: 'management', applicationId },
        resources: [role.id],
        correlationId: null,
        data: { roleId: role.id, key: 'told' },
        hash: null,
      },
    );
  });

  test('filters by actor, action, group, resource and time, alone and together', async () => {
    const owner = await ownerToken(latchkey);
    const { body: me } = await latchkey.api('/v1/me/context', { token: owner });
    const since = clock.now().toISOString();
    const role = await addRole('filtered', owner);
    clock.advance(60_000);
    const until = clock.now().toISOString();
    await latchkey.api(`/v1/admin/roles/${role.id}`, { method: 'PATCH', body: { name: 'New' }, token });
    await settled();
    const actions = async (query: string) =>
      (await found(query)).map(({ action, resources }: { action: string; resources: string[] }) =>
        resources.includes(role.id) ? action : 'other',
      );
    assert.deepEqual(await actions(`?resource=${role.id}`), ['role.updated', 'role.created']);
    assert.deepEqual(await actions(`?resource=${role.id}&actor=${me.user.id}`), ['role.created']);
    assert.deepEqual(await actions(`?resource=${role.id}&action=role.updated`), ['role.updated']);
    assert.deepEqual(await actions(`?resource=${role.id}&since=${until}`), ['role.updated']);
    assert.deepEqual(await actions(`?action=role.*&since=${since}&until=${until}&actor=${me.user.id}`), [
      'role.created',
    ]);
    assert.deepEqual(await actions(`?actor=${me.user.id}&action=role.created&limit=1`), ['role.created']);
    expectProblem(await get('?action=no.such'), 400, 'VALIDATION_FAILED');
    expectProblem(await get('?since=yesterday'), 400, 'VALIDATION_FAILED');
  });

  test('pages have one order without gaps or duplicates, also by resource', async () => {
    const role = await addRole('paged');
    for (let n = 0; n < 6; n += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await latchkey.api(`/v1/admin/roles/${role.id}`, { method: 'PATCH', body: { name: `N${n}` }, token });
    }
    await settled();
    for (const query of [`?resource=${role.id}`, '?action=role.updated', '?action=role.*']) {
      // biome-ignore lint/performance/noAwaitInLoops: one filter after the other
      const all: number[] = (await found(`${query}&limit=100`)).map(({ sequence }: { sequence: number }) => sequence);
      const seen: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        // biome-ignore lint/performance/noAwaitInLoops: one page after the other
        const { body }: TestResponse = await get(`${query}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        seen.push(...body.items.map(({ sequence }: { sequence: number }) => sequence));
        cursor = body.nextCursor;
      }
      assert.deepEqual(seen, all, query);
      assert.deepEqual(
        seen,
        [...seen].sort((a, b) => b - a),
      );
      expectProblem(
        await get(`?resource=other&cursor=${(await get(`${query}&limit=2`)).body.nextCursor}`),
        400,
        'INVALID_CURSOR',
      );
    }
  });

  test('BI-3 needs audit:read, and shows nothing of other projects', async () => {
    expectProblem(await get('', await managementToken(latchkey, 'roles:read')), 403, 'AUTHORIZATION_DENIED');
    const other = await createTenant(latchkey, 'other-audit');
    const role = await addRole('secret-of-mine');
    await settled();
    const theirs = await tenantManagementToken(latchkey, other);
    for (const path of ['', '/export', '/export?format=csv', '/checkpoints', `?resource=${role.id}`]) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await get(path, theirs);
      assert.equal(response.status, 200);
      assert.ok(!response.text.includes(role.id) && !response.text.includes('secret-of-mine'), path);
    }
  });
});

async function exported(query = ''): Promise<string> {
  await settled();
  const response = await get(`/export${query}`);
  assert.equal(response.status, 200, response.text);
  return response.text;
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split(/\r?\n/);
}

const verify = (text: string, checkpoints: string[] = []) => verifyAudit(linesOf(text), checkpoints);

describe('GET /v1/admin/audit-events/export', () => {
  test('is one JSON document, and verifies', async () => {
    const text = await exported();
    const { entries, seal } = JSON.parse(text);
    assert.match(seal, /^eyJ/);
    const { seal: claims, erased } = await verify(text);
    assert.deepEqual(
      [claims.count, claims.first, claims.last, erased],
      [entries.length, 1, entries.at(-1).sequence, 0],
    );
    const { rows } = await latchkey.system.pool.query(
      'select count(*) from events where workspace_id = $1 and project_id = $2 and environment = $3',
      [claims.scope.workspaceId, claims.scope.projectId, claims.scope.environment],
    );
    assert.equal(claims.count, rows[0].count, 'every event is in the log');
  });

  test('is a CSV file, and verifies', async () => {
    const text = await exported('?format=csv');
    assert.match(text, /^sequence,occurredAt,action,actor,entry,leaf,hash,seal\r\n/);
    const { seal } = await verify(text);
    assert.equal(seal.count, text.trimEnd().split('\r\n').length - 2);
  });

  test('of a range contains the entries of the range, linked to the entry before', async () => {
    clock.advance(3_600_000);
    token = await managementToken(latchkey);
    const since = clock.now().toISOString();
    await addRole('in-range');
    clock.advance(3_600_000);
    token = await managementToken(latchkey);
    const until = clock.now().toISOString();
    await addRole('after-range');
    const text = await exported(`?since=${since}&until=${until}`);
    const { seal } = await verify(text);
    assert.ok(text.includes('in-range') && !text.includes('after-range') && !text.includes('"told"'));
    assert.deepEqual([seal.since, seal.until], [since, until]);
    assert.ok((seal.first ?? 0) > 1);
    const none = await verify(await exported(`?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z`));
    assert.deepEqual([none.seal.count, none.seal.first], [0, null]);
  });

  test('longer than a page is complete', async () => {
    const scope = { environment: 'production' as const };
    const { emitAll } = await import('#events');
    await latchkey.inProject(
      (tx) =>
        emitAll(
          tx,
          Array.from({ length: 2_500 }, (_, n) => ({
            type: 'user.logout',
            data: { userId: `u${n}`, everywhere: false },
          })),
        ),
      scope,
    );
    await settled();
    const response = await latchkey.api(
      `${AUDIT}/export`,
      { token: await managementToken(latchkey, undefined, 'production') },
      'production',
    );
    const { seal } = await verify(response.text);
    assert.ok(seal.count >= 2_500);
    assert.equal(seal.scope.environment, 'production');
  });
});

/** Ways to forge an export, each of which must be detected. */
const forgeries: Record<string, [forge: (lines: string[]) => string[], fault: RegExp]> = {
  'an entry is left out': [(lines) => lines.toSpliced(4, 1), /the entries in between are missing/],
  'the end is cut off': [(lines) => lines.slice(0, -1), /ends without a seal/],
  'the last entries are left out': [(lines) => lines.toSpliced(-3, 2), /The seal covers/],
  'the first entries are left out': [(lines) => lines.toSpliced(1, 2), /The seal covers/],
  'a word of an entry is changed': [
    (lines) => lines.with(3, (lines[3] ?? '').replace(/("+)action\1:\1[a-z._]+/, '$1action$1:$1user.logout')),
    /was altered/,
  ],
  'a word and the hash of an entry are changed': [
    (lines) => lines.with(3, (lines[3] ?? '').replace(/[\w-]{43}/, 'A'.repeat(43))),
    /was altered/,
  ],
  'two entries change places': [(lines) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''), /missing|altered/],
  'something is added to a line': [(lines) => lines.with(3, `${lines[3]} `), /altered|not an entry/],
  'something follows the seal': [(lines) => [...lines, 'more'], /comes after the seal/],
  'the seal is changed': [
    (lines) => lines.with(-1, (lines.at(-1) ?? '').replace(/\.[\w-]{10}/, '.AAAAAAAAAA')),
    /signature/,
  ],
};

describe('latchkey audit verify', () => {
  for (const [what, [forge, fault]] of Object.entries(forgeries)) {
    test(`detects that ${what}`, async () => {
      for (const format of ['json', 'csv']) {
        // biome-ignore lint/performance/noAwaitInLoops: one format after the other
        const lines = (await exported(`?format=${format}`)).trimEnd().split(/\r?\n/);
        const forged = forge(lines);
        assert.notDeepEqual(forged, lines, 'the forgery changes something');
        await assert.rejects(verify(forged.join('\n')), fault, format);
      }
    });
  }

  test('detects a history that was rewritten in the database, by a checkpoint kept elsewhere', async () => {
    await settled();
    await signDueCheckpoints(latchkey.system);
    const { body } = await get('/checkpoints');
    const kept = body.items.map(({ signed }: { signed: string }) => signed);
    assert.ok(kept.length >= 1);
    const honest = await verify(await exported(), kept);
    assert.deepEqual([honest.checkpoints, honest.key], [kept.length, body.key]);
    const tenant = await createTenant(latchkey, 'foreign-checkpoint');
    await settled();
    await signDueCheckpoints(latchkey.system);
    const foreign = (await get('/checkpoints', await tenantManagementToken(latchkey, tenant))).body.items[0].signed;
    await assert.rejects(verify(await exported(), [foreign]), /another project/);

    const { pool } = latchkey.system;
    const target = [latchkey.demo.workspaceId, latchkey.demo.projects[0]?.id];
    const { rows: before } = await pool.query(
      `select * from audit_entries where workspace_id = $1 and project_id = $2 and environment = 'test' order by sequence`,
      target,
    );
    await rewriteHistory(target);
    const forged = await exported();
    assert.equal((await verify(forged)).checkpoints, 0, 'the forger knows how to link and seal');
    await assert.rejects(verify(forged, kept), /History was rewritten/);
    for (const row of before) {
      // biome-ignore lint/performance/noAwaitInLoops: restores it
      await pool.query(
        `update audit_entries set entry = $4, leaf = $5, hash = $6
         where workspace_id = $1 and project_id = $2 and environment = 'test' and sequence = $3`,
        [...target, row.sequence, JSON.stringify(row.entry), row.leaf, row.hash],
      );
    }
  });

  test('on the command line: reports what it proves or the fault, with the matching exit code', async () => {
    const whole = join(folder, 'audit.json');
    const broken = join(folder, 'broken.json');
    const text = await exported();
    await writeFile(whole, text);
    await writeFile(broken, text.split('\n').toSpliced(4, 1).join('\n'));
    const checkpoints = join(folder, 'checkpoints.json');
    const { text: response, body } = await get('/checkpoints');
    await writeFile(checkpoints, response);
    const good = await cli(whole, '--checkpoints', checkpoints, '--key', body.key);
    assert.deepEqual([good.status, good.errors], [0, '']);
    assert.match(good.output, /^Verified: .*\n.*\n {2}entries {6}\d+, from 1 to \d+, none missing, none altered\n/);
    assert.match(good.output, /checkpoints {2}\d+ agree/);
    const bad = await cli(broken);
    assert.equal(bad.status, 1);
    assert.match(
      bad.output,
      /^NOT VERIFIED: .*\n {2}Entry 5 \(line 5\) follows entry 3; the entries in between are missing\.\n$/,
    );
    const asJson = await cli(broken, '--json');
    assert.equal(JSON.parse(asJson.output).verified, false);
    const otherKey = await cli(whole, '--key', 'x');
    assert.equal(otherKey.status, 1);
    assert.match(otherKey.output, /not with x/);
    const missing = await cli(join(folder, 'nothing'));
    assert.equal(missing.status, 1);
    assert.match(missing.errors, /cannot be read \(ENOENT\)/);
    assert.equal((await cli()).status, 2);
  });
});

/** What an attacker with the database and this program could do: change an entry and relink everything after it. */
async function rewriteHistory(target: unknown[]): Promise<void> {
  const { leafOf, linkOf } = await import('./chain.ts');
  const { pool } = latchkey.system;
  const { rows } = await pool.query(
    `select * from audit_entries where workspace_id = $1 and project_id = $2 and environment = 'test' order by sequence`,
    target,
  );
  const [first] = rows;
  let previous: Buffer = first.hash;
  for (const [index, row] of rows.entries()) {
    if (index === 0) continue;
    const entry = index === 1 ? { ...row.entry, action: 'user.logout' } : row.entry;
    const leaf = leafOf(entry);
    previous = linkOf(previous, leaf);
    // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
    await pool.query(
      `update audit_entries set entry = $4, leaf = $5, hash = $6
       where workspace_id = $1 and project_id = $2 and environment = 'test' and sequence = $3`,
      [...target, row.sequence, JSON.stringify(entry), leaf, previous],
    );
  }
}

const cli = (...words: string[]) => runLatchkey(['audit', 'verify', ...words], {});

describe('erasure', () => {
  test('removes personal data from the log, and the chain still verifies', async () => {
    const { email, session } = await register(latchkey);
    await settled();
    assert.ok((await exported()).includes(email));
    const count = await latchkey.inProject((tx) => eraseFromAudit(tx, session.userId, [email]));
    assert.ok(count >= 1);
    const text = await exported();
    assert.ok(!text.includes(email));
    assert.equal((await verify(text)).erased, count);
    assert.equal((await verify(await exported('?format=csv'))).erased, count);
    const [entry] = (await found(`?resource=${session.userId}&action=user.created`)) ?? [];
    assert.deepEqual([entry.action, entry.data, entry.actor], ['user.created', null, null]);
  });
});

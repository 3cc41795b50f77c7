import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { sql } from 'kysely';
import pg from 'pg';
import { Keyring } from '#platform/keyring.ts';
import { migrate } from '#platform/migrate.ts';
import { sealedColumns } from '#platform/sealed.ts';
import { runLatchkey } from '#tests/command-line.ts';
import { eventually, PASSWORD, register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { emptyDatabase } from '#tests/postgres.ts';
import { fillTables } from '#tests/tenant-rows.ts';
import { examineDataKeys } from './examination.ts';
import { reseal, servingProcesses } from './reseal.ts';

const [OLD, NEW] = ['the secret that this database began with', 'the secret that replaces it and is as long'];
const idOf = (secret: string) => new Keyring([secret], []).secretIds[0] ?? '';
/** A text of a client that looks like a sealed value. */
const LOOKALIKE = 'k1.00000000.chosen-by-a-client';

/** A key ring as it was before there were data keys: the secret itself is the key. */
function ringOfSecret(secret: string, purpose: string): Keyring {
  const ring = new Keyring([secret], [purpose]);
  ring.load(ring.secretsAsKeys.map((key) => ({ id: key.id, wrapped: ring.wrap(key, 'newest'), state: 'active' })));
  return ring;
}

let database: { url: string; drop: () => Promise<void> };
let latchkey: TestLatchkey;
before(async () => {
  const serverUrl = process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '';
  database = await emptyDatabase(serverUrl);
  await migrate(database.url, () => undefined);
  await insertSigningKeyOf(OLD);
  latchkey = await startTestLatchkey({
    databaseUrl: database.url,
    // No background work: it would find rows that mean nothing to it.
    clock: new TestClock(),
    settings: { LATCHKEY_SECRET: `${NEW},${OLD}`, LATCHKEY_ROLES: 'auth,api,console' },
  });
});
after(async () => {
  await latchkey.stop();
  await database.drop();
});

/** What an installation of the version before has. */
async function insertSigningKeyOf(secret: string): Promise<void> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const id = 'key_01kaz3w9hqf8p9n2m4v5x6y7z8';
  const sealed = ringOfSecret(secret, 'signing-key').seal(await exportPKCS8(pair.privateKey), 'signing-key', id);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into signing_keys (environment, id, algorithm, public_jwk, private_sealed, created_at, signs_from)
     values ('test', $1, 'ES256', $2, $3, now() - interval '1 day', now() - interval '1 day')`,
    [id, { ...(await exportJWK(pair.publicKey)), kid: id, alg: 'ES256', use: 'sig' }, sealed],
  );
  await client.end();
}

/** The ids of the keys of all sealed values in the database, by column; also of columns that nobody declares. */
async function walk(): Promise<Map<string, string[]>> {
  const { pool } = latchkey.system;
  const { rows: columns } = await pool.query<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'bytea', 'ARRAY')`,
  );
  const found = await Promise.all(
    columns.map(async ({ table, column, type }) => {
      const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
      const { rows } = await pool.query<{ key: string }>(
        `select distinct m[1] as key from "${table}", regexp_matches(${text}, 'k1\\.([0-9a-f]{8})\\.', 'g') as m /* all workspaces */`,
      );
      return [`${table}.${column}`, rows.map(({ key }) => key).filter((key) => !LOOKALIKE.includes(key))] as const;
    }),
  );
  return new Map(found.filter(([, keys]) => keys.length > 0));
}

/** Stores a sealed value in each column that a part declares, beside those that exist already. */
async function fillEveryColumn(): Promise<void> {
  const { system } = latchkey;
  const places = sealedColumns(system.parts);
  const { scope } = await latchkey.inProject(async (tx) => tx);
  const filled = new Set([...(await walk()).keys()].map((place) => place.split('.')[0]));
  await fillTables(system, scope, new Set(places.map(({ table }) => table).filter((table) => !filled.has(table))));
  for (const { table, column, purpose, record, json } of places) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    const { rows } = await sql<{ place: string; record: string; content: string }>`
      select ctid::text as place, ${record} as record, ${sql.ref(column)}::text as content from ${sql.table(table)} /* all workspaces */`.execute(
      system.db,
    );
    for (const row of rows.filter(({ content }) => !content?.includes('k1.'))) {
      const sealed = system.keyring.seal(`${purpose} of ${row.record}`, purpose, row.record);
      const content = table === 'oidc_records' ? { jti: sealed, nonce: LOOKALIKE } : [{ sealed, expiresAt: null }];
      // biome-ignore lint/performance/noAwaitInLoops: a row or two
      await system.pool.query(`update ${table} set ${column} = $1 where ctid = $2::tid /* all workspaces */`, [
        json ? JSON.stringify(content) : sealed,
        row.place,
      ]);
    }
  }
}

/** All sealed values in plain text, by column and record. */
async function plainTexts(): Promise<Map<string, string[]>> {
  const { system } = latchkey;
  const all = new Map<string, string[]>();
  for (const { table, column, purpose, record } of sealedColumns(system.parts)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    const { rows } = await sql<{ record: string; content: string }>`
      select ${record} as record, ${sql.ref(column)}::text as content from ${sql.table(table)} /* all workspaces */`.execute(
      system.db,
    );
    for (const { record: id, content } of rows) {
      const values = (content?.match(/k1\.[0-9a-f]{8}\.[\w-]+/g) ?? []).filter((value) => value !== LOOKALIKE);
      if (values.length > 0)
        all.set(
          `${table}.${column} ${id}`,
          values.map((value) => system.keyring.open(value, purpose, id)),
        );
    }
  }
  return all;
}

const command = (args: string[], secret = `${NEW},${OLD}`) =>
  runLatchkey(args, {
    DATABASE_URL: database.url,
    LATCHKEY_SECRET: secret,
    LATCHKEY_DATA_DIR: latchkey.system.config.dataDir,
  });

const withoutProgress = () => ({ advance: () => undefined, end: () => undefined });

describe('latchkey keys reseal', () => {
  test('secrets that sealed values themselves become data keys, and every value stays readable', async () => {
    const { rows } = await latchkey.system.pool.query(
      'select id, state, from_secret, wrapped from data_keys order by number',
    );
    assert.deepEqual(
      rows.map(({ id, state, from_secret }) => [id, state, from_secret]),
      [
        [idOf(OLD), 'former', true],
        [idOf(NEW), 'active', true],
      ],
    );
    for (const { wrapped } of rows)
      assert.ok(wrapped.startsWith(`k1.${idOf(OLD)}.`), 'processes with OLD alone open it');
    assert.deepEqual((await walk()).get('signing_keys.private_sealed')?.toSorted(), [idOf(NEW), idOf(OLD)].toSorted());
  });

  test('every column with sealed values is declared by its part, and a planted one is found', async () => {
    await register(latchkey);
    await fillEveryColumn();
    const declared = sealedColumns(latchkey.system.parts).map(({ table, column }) => `${table}.${column}`);
    const found = [...(await walk()).keys()].filter((place) => place !== 'data_keys.wrapped');
    assert.deepEqual(found.toSorted(), declared.toSorted());
    const { rows } = await latchkey.system.pool.query<{ place: string }>(
      `select table_name || '.' || column_name as place from information_schema.columns
       where table_schema = 'public' and column_name like '%sealed%'`,
    );
    for (const { place } of rows) assert.ok(declared.includes(place), `no part declares ${place}`);
    const sealed = latchkey.system.keyring.seal('hidden', 'message', 'planted');
    await latchkey.system.pool.query('create table planted (hidden text)');
    await latchkey.system.pool.query('insert into planted values ($1)', [sealed]);
    assert.ok((await walk()).has('planted.hidden'));
    await latchkey.system.pool.query('drop table planted');
  });

  test('a reseal is refused while a running process lacks the first secret', async () => {
    const { status, errors } = await command(
      ['keys', 'reseal'],
      `a third secret that no running process has,${NEW},${OLD}`,
    );
    assert.equal(status, 1);
    assert.match(
      errors,
      /^1 running processes do not have the first secret of LATCHKEY_SECRET \(.*Nothing was changed/,
    );
  });

  test('a reseal encrypts all data keys with the first secret, and seals every value with a new data key', async () => {
    const { system } = latchkey;
    const { email } = await register(latchkey);
    const before = await plainTexts();
    const lasting = system.keyring.lastingTag('sector usr_1', 'pairwise-subject');
    const [cookieKey] = system.keyring.tags('realm', 'oidc-cookies');
    const passing = system.keyring.tag('claim', 'console-csrf');
    const said = await command(['doctor']);
    assert.match(
      said.output,
      /an older secret than the first still encrypts them; that key is itself a secret; \d+ rows/,
    );

    const { status, output, errors } = await command(['keys', 'reseal', '--json']);
    assert.equal(status, 0, errors);
    const done = JSON.parse(output);
    assert.deepEqual([done.secretId, done.wrapped, done.unreadable, done.removable], [idOf(NEW), 2, [], [idOf(OLD)]]);
    assert.ok(done.rows >= sealedColumns(system.parts).length, output);

    assert.deepEqual(system.keyring.keyIds, [done.newKeyId], 'the running process follows');
    for (const [place, keys] of await walk())
      assert.deepEqual(keys, [place === 'data_keys.wrapped' ? idOf(NEW) : done.newKeyId], place);
    assert.deepEqual(await plainTexts(), before);
    assert.deepEqual(system.keyring.lastingTag('sector usr_1', 'pairwise-subject'), lasting);
    assert.ok(system.keyring.tags('realm', 'oidc-cookies').some((key) => cookieKey?.equals(key)));
    assert.equal(system.keyring.checkTag('claim', 'console-csrf', passing), false, 'the old secret signs nothing');
    const signedIn = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: email, password: PASSWORD },
    });
    assert.equal(signedIn.status, 200, signedIn.text);
  });

  test('a process whose change feed is down is known to serve, and a reseal waits for it', async () => {
    const { system } = latchkey;
    const isKnown = async () => (await servingProcesses(system)).map(({ isKnown: known }) => known);
    assert.deepEqual(await isKnown(), [true]);
    await system.feed.stop();
    await eventually(async () => assert.deepEqual(await isKnown(), [false]));
    let done = false;
    const sealing = reseal(system, { newKey: false, showProgress: withoutProgress }).finally(() => {
      done = true;
    });
    await system.pool.query('select 1');
    assert.equal(done, false);
    await system.feed.start();
    await sealing;
  });

  test('after a reseal the new secret is enough, and the old one is refused in one line', async () => {
    const fine = await command(['doctor', '--json'], NEW);
    const { findings } = JSON.parse(fine.output);
    const secret = findings.find(({ check }: { check: string }) => check === 'secret');
    assert.equal(secret.state, 'ok', JSON.stringify(secret));
    assert.equal((await command(['keys', 'list'], NEW)).status, 0);
    const refused = await command(['keys', 'list'], OLD);
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /^LATCHKEY_SECRET is not the secret of this database: [^\n]*\n$/);
    assert.equal((await command(['doctor'], OLD)).status, 1);
  });

  test('a second reseal changes nothing', async () => {
    const before = await walk();
    const { output } = await command(['keys', 'reseal'], NEW);
    assert.equal(output, `The secret ${idOf(NEW)} encrypts all data keys.\n`);
    assert.deepEqual(await walk(), before);
  });

  test('an interrupted reseal goes on where it stopped, and names the values that no key opens', async () => {
    const { system } = latchkey;
    const before = await plainTexts();
    const [formerId = ''] = system.keyring.keyIds;
    const { rows } = await system.pool.query(
      `update flows set pending_sealed = 'k1.' || $1 || '.AAAA' where pending_sealed is not null
       returning id /* all workspaces */`,
      [formerId],
    );
    const interrupt = () => ({
      ...withoutProgress(),
      advance: () => {
        throw new Error('interrupted');
      },
    });
    await assert.rejects(reseal(system, { newKey: true, showProgress: interrupt }), /interrupted/);
    const halfway = await examineDataKeys(system);
    assert.ok(halfway !== null && 'sealedOtherwise' in halfway && halfway.sealedOtherwise > 0);
    const done = await reseal(system, { newKey: false, showProgress: withoutProgress });
    assert.deepEqual(
      done.unreadable,
      rows.map(({ id }) => `flows.pending_sealed of ${id}`),
    );
    const [newId] = system.keyring.keyIds;
    for (const [place, keys] of await walk())
      if (!['data_keys.wrapped', 'flows.pending_sealed'].includes(place)) assert.deepEqual(keys, [newId], place);
    for (const key of before.keys()) if (key.startsWith('flows.')) before.delete(key);
    await system.pool.query('update flows set pending_sealed = null /* all workspaces */');
    assert.deepEqual(await plainTexts(), before);
  });
});

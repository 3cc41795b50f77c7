import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { emptyDatabase } from '#tests/postgres.ts';
import { type Db, isDatabaseAway, openDb, readOnly, type Tables } from './db.ts';
import { prepared } from './prepared.ts';

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const refused = { message: /A write needs a transaction/ };

describe('a database outside a transaction', () => {
  test('reads, even if the SQL text names columns such as updated_at', async () => {
    const reads = readOnly(db);
    assert.deepEqual(await reads.selectFrom('idempotency_keys').select('id').execute(), []);
    await assert.doesNotReject(sql`select updated_at from members where deleted_at is null`.execute(reads));
    await assert.doesNotReject(sql`select id from members for update skip locked`.execute(reads));
  });

  for (const text of [
    'update members set status = 1',
    'insert into members values (1)',
    'DELETE FROM members',
    'with gone as (delete\n from members returning id) select id from gone',
    'truncate members',
  ]) {
    test(`refuses: ${text.replaceAll('\n', ' ')}`, async () => {
      await assert.rejects(sql.raw(text).execute(readOnly(db)), refused);
      assert.throws(() => prepared('planted', text), refused);
    });
  }

  test('refuses a write of the query builder', async () => {
    const statement = db.deleteFrom('idempotency_keys');
    await assert.rejects(
      async () => readOnly(db).getExecutor().transformQuery(statement.toOperationNode(), { queryId: '1' }),
      refused,
    );
  });
});

describe('a database is away', () => {
  for (const message of [
    'could not commit transaction for shard 102123 on at least one active node',
    'failure on connection marked as essential: 127.0.0.1:6401',
  ])
    test(`when Citus reports: ${message}`, () => {
      assert.ok(isDatabaseAway(new pg.DatabaseError(message, message.length, 'error')));
    });

  test('never for a statement that fails by itself', () => {
    assert.ok(!isDatabaseAway(new pg.DatabaseError('could not determine data type', 1, 'error')));
  });
});

describe('a connection that has prepared statements', () => {
  let drop: () => Promise<void>;
  let pool: pg.Pool;
  let own: Db;
  before(async () => {
    const database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    drop = database.drop;
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    own = openDb(pool, (_text, run) => run());
    await pool.query('create table boxes (id integer)');
  });
  after(() => pool.end().then(drop));

  for (const text of [
    'select * from boxes where id = ',
    'select b.* from boxes b where b.id = ',
    'select id, * from boxes where id = ',
    'select count(*) from boxes where id = ',
    'select b from boxes b where id = ',
    'update boxes set id = id returning *, id = ',
  ])
    test(`goes on when another version adds a column: ${text}…`, async () => {
      const name = `c${crypto.randomUUID().replaceAll('-', '')}`;
      const run = (on: Db) => sql`${sql.raw(text)}${1}`.execute(on);
      await run(own);
      await pool.query(`alter table boxes add column ${name} text`);
      await assert.doesNotReject(run(own));
      await assert.doesNotReject(own.transaction().execute(run));
    });
});

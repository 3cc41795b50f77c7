import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { readOnly, type Tables } from './db.ts';
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

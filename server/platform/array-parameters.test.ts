import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { parameterOf } from './array-parameters.ts';

/** Texts that are easily written wrongly in an array. */
const TEXTS = [
  '',
  'null',
  'NULL',
  ' a ',
  '{a,b}',
  'a,b',
  '"',
  '\\',
  '\\n',
  '\\"',
  'a\nb\tc',
  '\u0001',
  '\u2028é漢😀',
  JSON.stringify({ a: 'say "hi" \\ \n' }),
];

describe('an array as parameter of a statement', () => {
  const client = new pg.Client({
    connectionString: new URL('/postgres', process.env['LATCHKEY_TEST_DATABASE_URL']).href,
  });
  before(() => client.connect());
  after(() => client.end());
  const stored = async (type: string, values: readonly unknown[]) => {
    const { rows } = await client.query<{ same: unknown[] }>(`select $1::${type}[] as same`, [parameterOf(values)]);
    return rows[0]?.same;
  };

  test('reaches PostgreSQL as it is, whatever its texts hold', async () => {
    assert.deepEqual(await stored('text', TEXTS), TEXTS);
    // Also one by one: an array without control characters is written by another rule.
    for (const text of TEXTS) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      assert.deepEqual(await stored('text', [text, null]), [text, null]);
    }
    assert.deepEqual(await stored('text', []), []);
  });

  test('holds numbers, booleans and nulls', async () => {
    assert.deepEqual(await stored('float8', [1, -2.5, 1e21, null]), [1, -2.5, 1e21, null]);
    assert.deepEqual(await stored('boolean', [true, false, null]), [true, false, null]);
    assert.deepEqual(await stored('text', [1, true, 'a']), ['1', 'true', 'a']);
    assert.deepEqual(await stored('float8', [Number.NaN, Number.POSITIVE_INFINITY]), [
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test('of dates, bytes or arrays is left to the driver, as is any other value', async () => {
    const moment = new Date('2026-01-01T00:00:00.123Z');
    assert.deepEqual(await stored('timestamptz', [moment]), [moment]);
    assert.deepEqual(await stored('bytea', [Buffer.from('a"\\')]), [Buffer.from('a"\\')]);
    assert.deepEqual(
      await stored('text', [
        ['a', '"'],
        ['b', '\\'],
      ]),
      [
        ['a', '"'],
        ['b', '\\'],
      ],
    );
    assert.equal(parameterOf('["a"]'), '["a"]');
    assert.equal(parameterOf(null), null);
  });
});

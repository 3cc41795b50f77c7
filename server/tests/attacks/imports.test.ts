import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readInstant } from '#platform/instants.ts';
import {
  eventually,
  managementToken,
  newEmail,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';
import { dereferenced } from '#tests/openapi.ts';
import { signInOperator } from '#tests/operators.ts';
import { PLANTS_TRIGGER } from '#tests/postgres.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

/** Imports a file and waits for its end. */
async function imported(body: string, type = 'application/x-ndjson', query = ''): Promise<TestResponse['body']> {
  const response = await latchkey.api(`/v1/admin/members/import${query}`, {
    token,
    body,
    headers: { 'content-type': type },
  });
  assert.equal(response.status, 202, response.text);
  return eventually(async () => {
    const { body: report } = await latchkey.api(`/v1/admin/members/import/${response.body.id}?limit=100`, { token });
    assert.equal(report.status, 'completed');
    return report;
  });
}

const outcomes = (report: TestResponse['body']) => report.report.map(({ outcome }: { outcome: string }) => outcome);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Texts that are not times, or times that PostgreSQL can't store. */
const NO_INSTANTS = [
  '2026-06-30T23:59:60Z',
  '2026-06-30T12:00:00+16:28',
  '2026-06-30T12:00:00-23:59',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-06-30T24:00:00Z',
  '2026-06-30 12:00:00Z',
  '2026-06-30T12:00:00',
  '2026-06-30',
  'infinity',
  'now',
];

describe('an import finishes, whatever a row contains', () => {
  test('rows with deep nesting, odd dates or wrong types are reported, and the others imported', async () => {
    const good = () => JSON.stringify({ email: newEmail() });
    const deep = [
      `{"email":"${newEmail()}","customData":{"a":${nested(20_000)}}}`,
      `{"email":"${newEmail()}","metadata":{"a":${nested(20_000)}}}`,
      nested(50_000),
    ];
    const dated = NO_INSTANTS.map((createdAt) => JSON.stringify({ email: newEmail(), createdAt }));
    const odd = [
      '1e999',
      '"text"',
      'null',
      '[]',
      '{"email":{}}',
      '{"roles":"admin"}',
      '{"__proto__":{"email":1}}',
      '{"email":1e999}',
      `{"email":"${newEmail()}","metadata":{"quota":1e999}}`,
    ];
    const report = await imported([good(), ...deep, ...dated, ...odd, good()].join('\n'));
    const failed = deep.length + dated.length + odd.length;
    assert.deepEqual([report.created, report.failed, report.rowsDone], [2, failed, failed + 2]);
    assert.deepEqual([outcomes(report).at(0), outcomes(report).at(-1)], ['created', 'created']);
    for (const { errors } of report.report.slice(1, 4)) assert.match(errors[0].message, /deep nesting/);
    for (const { errors } of report.report.slice(4, 4 + dated.length)) assert.equal(errors[0].pointer, '/createdAt');
  });

  test('a deeply nested cell of a CSV file is reported', async () => {
    const csv = `email,customData\n${newEmail()},"{""a"":${nested(20_000)}}"\n${newEmail()},{}\n`;
    const report = await imported(csv, 'text/csv');
    assert.deepEqual(outcomes(report), ['failed', 'created']);
  });

  test('cells of a CSV file that cannot be stored are reported, never changed', async () => {
    const numbers = `${newEmail()},Ada,"{""quota"":-1e999}"`;
    const csv = `email,displayName,metadata\n${newEmail()},A\0da,{}\n${numbers}\n${newEmail()},Ada,{}\n`;
    const report = await imported(csv, 'text/csv');
    assert.deepEqual(outcomes(report), ['failed', 'failed', 'created']);
  });

  test('a row that fails unexpectedly is reported, and the others of its chunk imported', {
    skip: PLANTS_TRIGGER,
  }, async () => {
    const name = `boom${crypto.randomUUID().slice(0, 8)}`;
    await latchkey.system.pool.query(`
      create function refuse_boom() returns trigger language plpgsql as $$
        begin if new.value = '${name}' then raise exception 'boom'; end if; return new; end $$`);
    await latchkey.system.pool.query(
      'create trigger refuse_boom before insert on identifiers for each row execute function refuse_boom()',
    );
    const rows = [{ email: newEmail() }, { username: name }, { email: newEmail() }];
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    const report = await imported(body);
    assert.deepEqual(outcomes(report), ['created', 'failed', 'created']);
    assert.deepEqual(report.report[1].errors, [{ pointer: '', message: 'could not be imported' }]);
    const again = await imported(body, undefined, '?dryRun=true');
    assert.deepEqual(outcomes(again), ['unchanged', 'created', 'unchanged']);
  });

  test('a request with a deeply nested body is a client error', async () => {
    const body = `{"email":"${newEmail()}","metadata":{"a":${nested(20_000)}}}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'deep' };
    const url = `${latchkey.system.config.addresses.test.api}/v1/admin/members`;
    const response = await fetch(url, { method: 'POST', body, headers });
    assert.equal(response.status, 400);
    const problem: TestResponse['body'] = await response.json();
    assert.equal(problem.errorCode, 'VALIDATION_FAILED');
  });
});

type Field = { method: string; path: string; place: 'querystring' | 'body'; name: string };
type Schema = { format?: string; anyOf?: Schema[]; properties?: Record<string, Schema>; examples?: string[] };

const isInstant = ({ format, anyOf = [] }: Schema): boolean => format === 'date-time' || anyOf.some(isInstant);

/** Every field of a request that accepts a time. */
function fieldsOf(document: TestResponse['body']): Field[] {
  return Object.entries<Record<string, TestResponse['body']>>(dereferenced(document).paths).flatMap(
    ([template, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
        const path = parameters
          .filter((one: TestResponse['body']) => one.in === 'path')
          .reduce((before: string, one: TestResponse['body']) => {
            const value = one.example ?? one.schema.examples?.[0] ?? one.schema.enum?.[0] ?? 'x';
            return before.replace(`{${one.name}}`, encodeURIComponent(value));
          }, template);
        const body: Schema = requestBody?.content?.['application/json']?.schema ?? {};
        const inQuery = parameters.filter((one: TestResponse['body']) => one.in === 'query' && isInstant(one.schema));
        const inBody = Object.entries(body.properties ?? {}).filter(([, schema]) => isInstant(schema));
        return [
          ...inQuery.map((one: TestResponse['body']) => ({
            method: method.toUpperCase(),
            path,
            place: 'querystring',
            name: one.name,
          })),
          ...inBody.map(([name]) => ({ method: method.toUpperCase(), path, place: 'body', name })),
        ];
      }),
  );
}

describe('times are validated at the edge', () => {
  test('an invalid time is 400 in every field of every operation that accepts one', async () => {
    const operator = await signInOperator(latchkey);
    const { access_token: customer } = await register(latchkey);
    const hosts = [
      {
        document: (await latchkey.api('/openapi.json')).body,
        call: (path: string, init: { method: string; body?: unknown }) =>
          latchkey.api(path, { token: path.startsWith('/v1/me/') ? customer : token, ...init }),
      },
      {
        document: (await latchkey.console('/console/v1/openapi.json')).body,
        call: (path: string, init: { method: string; body?: unknown }) => operator.call(path, init),
      },
    ];
    const found = hosts.flatMap(({ document, call }) => fieldsOf(document).map((field) => ({ ...field, call })));
    assert.ok(found.length >= 20, `only ${found.length} fields were found`);
    const tries = found.flatMap((field) => NO_INSTANTS.map((instant) => ({ ...field, instant })));
    await inTurn(tries, async ({ method, path, place, name, instant, call }) => {
      const query = place === 'querystring' ? `?${new URLSearchParams({ [name]: instant })}` : '';
      const response = await call(path + query, { method, ...(place === 'body' && { body: { [name]: instant } }) });
      const where = `${method} ${path} ${name}=${instant}: ${response.text}`;
      assert.equal(response.status, 400, where);
      assert.equal(response.body.errorCode, 'VALIDATION_FAILED', where);
      const pointers = response.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.ok(pointers.includes(`/${place}/${name}`), where);
    });
  });

  test('a valid time is accepted, up to the limits', async () => {
    const edges = [
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '2024-02-29T12:00:00+15:59',
      '2026-06-30t12:00:00z',
    ];
    await inTurn(edges, async (edge) => {
      assert.ok(readInstant(edge), edge);
      const query = new URLSearchParams({ since: edge });
      const reads = [
        `/v1/admin/audit-events?${query}`,
        `/v1/admin/audit-events/export?${query}`,
        `/v1/admin/webhooks/deliveries?${query}`,
        `/v1/admin/members?${new URLSearchParams({ createdAfter: edge })}`,
      ];
      await inTurn(reads, async (path) => {
        const response = await latchkey.api(path, { token });
        assert.equal(response.status, 200, `${path}: ${response.text}`);
      });
    });
  });
});

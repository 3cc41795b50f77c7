import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const IMPORTS = '/v1/admin/members/import';
let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

const get = (path: string, by = token) => latchkey.api(IMPORTS + path, { token: by });

/**
 * Imports rows and waits until it is done.
 * @returns its id
 */
async function imported(rows: unknown[], query = ''): Promise<string> {
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await latchkey.api(IMPORTS + query, { token, body, headers });
  assert.equal(response.status, 202, response.text);
  await eventually(async () => assert.equal((await get(`/${response.body.id}`)).body.status, 'completed'));
  return response.body.id;
}

describe('GET /v1/admin/members/import', () => {
  test('lists the imports of the project, newest first, page by page', async () => {
    const ids = [
      await imported([{ email: newEmail() }]),
      await imported([{ email: newEmail() }], '?dryRun=true'),
      await imported([{ email: 'x' }]),
    ].reverse();
    const first = await get('?limit=2');
    assert.deepEqual(
      first.body.items.map(({ id, dryRun, created, failed }: TestResponse['body']) => [id, dryRun, created, failed]),
      [
        [ids[0], false, 0, 1],
        [ids[1], true, 1, 0],
      ],
    );
    const second = await get(`?limit=2&cursor=${first.body.nextCursor}`);
    assert.deepEqual([second.body.items.map(({ id }: { id: string }) => id), second.body.nextCursor], [[ids[2]], null]);
    const { report, nextCursor, ...record } = (await get(`/${ids[2]}`)).body;
    assert.deepEqual([second.body.items[0], report.length, nextCursor], [record, 1, null]);
  });

  test('BI-3 403 without members:import, 400 for a forged cursor, nothing of another project', async () => {
    const id = await imported([{ email: 'x' }]);
    expectProblem(await get('', await managementToken(latchkey, 'members:read')), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await get('?cursor=forged'), 400, 'INVALID_CURSOR');
    const theirs = await tenantManagementToken(latchkey, await createTenant(latchkey, 'other-imports'));
    assert.deepEqual((await get('', theirs)).body, { items: [], nextCursor: null });
    expectProblem(await get(`/${id}/failures`, theirs), 404, 'NOT_FOUND');
  });
});

describe('GET /v1/admin/members/import/{jobId}/failures', () => {
  test('lists the faults of each failed row, over several chunks, as CSV that a spreadsheet opens', async () => {
    const good = { email: newEmail() };
    const rows = Array.from({ length: 2_300 }, (_, n) => (n % 200 === 0 ? { email: 'x', note: 'y "z"' } : good));
    const id = await imported([...rows, { roles: ['em"peror'] }]);
    const response = await get(`/${id}/failures`);
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="failed-rows-${id}.csv"`);
    const [header, ...told] = response.text.trimEnd().split('\r\n');
    assert.equal(header, 'row,field,reason');
    const { body } = await get(`/${id}?outcome=failed&limit=100`);
    const reasons = body.report.flatMap(({ row, errors }: { row: number; errors: { pointer: string }[] }) =>
      errors.map(({ pointer }) => `${row},"${pointer.slice(1)}"`),
    );
    assert.ok(reasons.length > 12);
    assert.deepEqual(
      told.map((line) => line.split(',').slice(0, 2).join(',')),
      reasons,
    );
    assert.ok(told.includes('1,"note","is not a field of a row"'), told[0]);
    assert.equal((await get(`/${await imported([good])}/failures`)).text, 'row,field,reason\r\n');
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

type Listed = { key?: string; id?: string };
const nameOf = ({ id, key }: Listed) => String(id ?? key);

async function add(path: string, body: object): Promise<string> {
  const response = await latchkey.api(path, { token, body });
  assert.equal(response.status, 201, response.text);
  return nameOf(response.body);
}

async function read(path: string, query: string): Promise<{ names: string[]; nextCursor: string | null }> {
  const { status, text, body } = await latchkey.api(`${path}?${query}`, { token });
  assert.equal(status, 200, text);
  return { names: body.items.map(nameOf), nextCursor: body.nextCursor };
}

async function remove(path: string, name: string): Promise<void> {
  const { status, text } = await latchkey.api(`${path}/${name}`, { method: 'DELETE', token });
  assert.equal(status, 204, text);
}

async function remaining(path: string, cursor: string | null): Promise<string[]> {
  if (cursor === null) return [];
  const { names, nextCursor } = await read(path, `limit=2&cursor=${cursor}`);
  return [...names, ...(await remaining(path, nextCursor))];
}

/** Lists that are read whole, and a record for each number. */
const LISTS: [path: string, record: (number: number) => object][] = [
  ['/v1/admin/permissions', (number) => ({ key: `page-${number}:read`, description: 'A permission' })],
  ['/v1/admin/organization-roles', (number) => ({ key: `page-${number}`, name: 'A role' })],
  ['/v1/admin/authorization/types', (number) => ({ key: `page-${number}`, name: 'A type' })],
  ['/v1/admin/status/groups', (number) => ({ name: `Group ${number}`, position: number })],
];

for (const [path, record] of LISTS)
  describe(`GET ${path}`, () => {
    test('the next page starts behind the last record, although records of the page were deleted', async () => {
      await Promise.all([4, 5, 6, 7].map((number) => add(path, record(number))));
      const first = await read(path, 'limit=2');
      const rest = (await read(path, 'limit=100')).names.slice(2);
      await Promise.all(first.names.map((name) => remove(path, name)));
      assert.deepEqual(await remaining(path, first.nextCursor), rest);
    });

    test('the next page repeats nothing, although its last record was deleted and others were added', async () => {
      await Promise.all([14, 15, 16].map((number) => add(path, record(number))));
      const first = await read(path, 'limit=2');
      const rest = (await read(path, 'limit=100')).names.slice(2);
      await remove(path, String(first.names[1]));
      const added = await Promise.all([1, 2, 30].map((number) => add(path, record(number))));
      const next = await remaining(path, first.nextCursor);
      assert.deepEqual(
        next.filter((name) => !added.includes(name)),
        rest,
      );
    });
  });

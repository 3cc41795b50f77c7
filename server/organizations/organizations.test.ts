import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, managementToken, ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const PATH = '/v1/admin/organizations';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

const add = (body: Record<string, unknown> = {}, as = token) =>
  latchkey.api(PATH, { token: as, body: { name: 'Acme', ...body } });
const change = (id: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  latchkey.api(`${PATH}/${id}`, { token, method: 'PATCH', body, headers });
const list = (query: string) => latchkey.api(`${PATH}?${query}`, { token });
const namesOf = async (query: string): Promise<string[]> =>
  (await list(query)).body.items.map(({ name }: { name: string }) => name);

describe('organizations', () => {
  test('one is added, read, listed, changed, blocked, unblocked and deleted, with an event for each change', async () => {
    const { status, body } = await add({ slug: 'acme', metadata: { plan: 'gold' } });
    assert.equal(status, 201);
    const { id, createdAt, updatedAt, ...rest } = body;
    assert.match(id, /^org_/);
    assert.equal(createdAt, updatedAt);
    const chosen = { name: 'Acme', slug: 'acme', metadata: { plan: 'gold' } };
    assert.deepEqual(rest, { ...chosen, status: 'active', invitesVerifiedDomainsOnly: false });
    assert.deepEqual((await latchkey.api(`${PATH}/${id}`, { token })).body, body);
    assert.deepEqual((await list('limit=1')).body.items, [body]);
    const changed = await change(id, { name: 'Acme Inc.', slug: null, metadata: {} });
    assert.deepEqual([changed.body.name, changed.body.slug, changed.body.metadata], ['Acme Inc.', null, {}]);
    for (const [action, state] of [
      ['block', 'blocked'],
      ['unblock', 'active'],
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const done = await latchkey.api(`${PATH}/${id}/${action}`, { token, method: 'POST' });
      assert.deepEqual([done.status, done.body.status], [200, state]);
    }
    assert.equal((await latchkey.api(`${PATH}/${id}`, { token, method: 'DELETE' })).status, 204);
    expectProblem(await latchkey.api(`${PATH}/${id}`, { token }), 404, 'NOT_FOUND');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'organizationId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['created', 'updated', 'blocked', 'unblocked', 'deleted'].map((what) => `organization.${what}`),
    );
  });

  test('the list is read in pages, newest first', async () => {
    const ids = [(await add()).body.id, (await add()).body.id];
    const first = await list('limit=1');
    const second = await list(`limit=1&cursor=${first.body.nextCursor}`);
    assert.deepEqual([first.body.items[0].id, second.body.items[0].id], ids.toReversed());
    expectProblem(await list(`cursor=${first.body.nextCursor}x`), 400, 'INVALID_CURSOR');
    expectProblem(await list(`q=acme&cursor=${first.body.nextCursor}`), 400, 'INVALID_CURSOR');
  });

  test('the list is searched by parts of name and slug, ignoring case; wildcards are ordinary characters', async () => {
    await add({ name: 'Zürich & 100% Söhne', slug: 'zuerich-soehne' });
    for (const q of ['zÜRICH', 'zurich', '100%', 'ich-soe', '& 1']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.deepEqual(await namesOf(`q=${encodeURIComponent(q)}`), ['Zürich & 100% Söhne'], q);
    }
    assert.deepEqual(await namesOf('q=_%25'), []);
    assert.deepEqual(await namesOf('status=blocked'), []);
  });

  test('a slug is unique in its project and environment, also in parallel', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => add({ slug: 'once' })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 409)]);
    const other = (await add({ slug: 'other' })).body;
    expectProblem(await change(other.id, { slug: 'once' }), 409, 'ALREADY_EXISTS');
    const production = await managementToken(latchkey, undefined, 'production');
    const there = await latchkey.api(PATH, { token: production, body: { name: 'Acme', slug: 'once' } }, 'production');
    assert.equal(there.status, 201, there.text);
    expectProblem(await latchkey.api(`${PATH}/${there.body.id}`, { token }), 404, 'NOT_FOUND');
  });

  test('a change with a stale If-Match is refused', async () => {
    const { body } = await add();
    const etag = (await latchkey.api(`${PATH}/${body.id}`, { token })).headers.get('etag') ?? '';
    assert.equal((await change(body.id, { name: 'First' }, { 'if-match': etag })).status, 200);
    expectProblem(await change(body.id, { name: 'Second' }, { 'if-match': etag }), 412, 'PRECONDITION_FAILED');
  });

  test('empty names, invalid slugs and large metadata are refused', async () => {
    for (const body of [{ name: ' ' }, { slug: 'A' }, { slug: 'a b' }, { slug: '-a' }, { status: 'blocked' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await add(body), 400, 'VALIDATION_FAILED');
    }
    const metadata = { text: 'x'.repeat(17_000) };
    expectProblem(await add({ metadata }), 413, 'PAYLOAD_TOO_LARGE');
    const { body } = await add();
    expectProblem(await change(body.id, { metadata }), 413, 'PAYLOAD_TOO_LARGE');
  });

  test('needs permissions of its own', async () => {
    const reading = await managementToken(latchkey, 'organizations:read');
    const neither = await managementToken(latchkey, 'members:write');
    assert.equal((await latchkey.api(PATH, { token: reading })).status, 200);
    expectProblem(await add({}, reading), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await latchkey.api(PATH, { token: neither }), 403, 'AUTHORIZATION_DENIED');
  });
});

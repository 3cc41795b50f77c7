import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, managementToken, ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const REDIRECT = 'https://shop.example/callback';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
});
after(() => latchkey.stop());

let made = 0;
/** An API with the scopes `read` and `write`. */
async function newApi(): Promise<{ id: string; identifier: string }> {
  made += 1;
  const scopes = ['read', 'write'].map((name) => ({ name, description: '' }));
  const body = { identifier: `https://api-${made}.example`, name: 'Orders', scopes };
  const added = await latchkey.api('/v1/admin/apis', { token, body });
  assert.equal(added.status, 201, added.text);
  return added.body;
}

const add = (body: Record<string, unknown>, as = token) =>
  latchkey.api('/v1/admin/applications', {
    token: as,
    body: { kind: 'web', name: 'Shop', redirectUris: [REDIRECT], ...body },
  });
const machine = (body: Record<string, unknown>, as = token) =>
  add({ kind: 'management', redirectUris: [], ...body }, as);
const change = (id: string, body: Record<string, unknown>, as = token) =>
  latchkey.api(`/v1/admin/applications/${id}`, { token: as, method: 'PATCH', body });
const apisOf = async (id: string) => (await latchkey.api(`/v1/admin/applications/${id}`, { token })).body.apis;

describe('the APIs of an application', () => {
  test('are granted, listed, changed and taken away', async () => {
    const { id: apiId, identifier } = await newApi();
    const { status, body, text } = await add({ apis: [{ identifier, scopes: ['write', 'read'] }] });
    assert.equal(status, 201, text);
    assert.deepEqual(body.apis, [{ identifier, scopes: ['read', 'write'], machineScopes: [] }]);
    const using = await latchkey.api(`/v1/admin/applications?apiId=${apiId}`, { token });
    assert.deepEqual(
      using.body.items.map(({ id }: { id: string }) => id),
      [body.id],
    );
    assert.equal((await change(body.id, { apis: [{ identifier, scopes: ['read'] }] })).status, 200);
    assert.deepEqual(await apisOf(body.id), [{ identifier, scopes: ['read'], machineScopes: [] }]);
    await change(body.id, { apis: [] });
    assert.deepEqual(await apisOf(body.id), []);
    const none = await latchkey.api(`/v1/admin/applications?apiId=${apiId}`, { token });
    assert.deepEqual(none.body.items, []);
  });

  test('a cursor of the applications of one API is refused by other lists', async () => {
    const { id: apiId, identifier } = await newApi();
    for (const name of ['One', 'Two']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await add({ name, apis: [{ identifier }] })).status, 201);
    }
    const path = '/v1/admin/applications?limit=1';
    const { body } = await latchkey.api(`${path}&apiId=${apiId}`, { token });
    const next = await latchkey.api(`${path}&apiId=${apiId}&cursor=${body.nextCursor}`, { token });
    assert.deepEqual([body.items[0].name, next.body.items[0].name], ['Two', 'One']);
    expectProblem(await latchkey.api(`${path}&cursor=${body.nextCursor}`, { token }), 400, 'INVALID_CURSOR');
  });

  test('belong to their own project, are given once each, and name scopes that exist', async () => {
    const { identifier } = await newApi();
    const production = await managementToken(latchkey, undefined, 'production');
    const elsewhere = { identifier: 'https://production.example', name: 'Elsewhere' };
    await latchkey.api('/v1/admin/apis', { token: production, body: elsewhere }, 'production');
    for (const [apis, pointer] of [
      [[{ identifier: 'https://unknown.example' }], '/body/apis/0/identifier'],
      [[{ identifier: elsewhere.identifier }], '/body/apis/0/identifier'],
      [[{ identifier }, { identifier }], '/body/apis/1/identifier'],
      [[{ identifier, scopes: ['read', 'admin'] }], '/body/apis/0/scopes/1'],
      [[{ identifier, machineScopes: ['read'] }], '/body/apis/0/machineScopes'],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await add({ apis });
      expectProblem(response, 400, 'VALIDATION_FAILED');
      assert.equal(response.body.errors[0].pointer, pointer);
    }
    const wrong = await machine({ apis: [{ identifier, scopes: ['read'] }] });
    assert.equal(wrong.body.errors[0].pointer, '/body/apis/0/scopes');
  });

  test('only an actor with apis:write lets a machine use an API', async () => {
    const { identifier } = await newApi();
    const apis = [{ identifier, machineScopes: ['read'] }];
    const without = await managementToken(latchkey, 'applications:read applications:write');
    const both = await managementToken(latchkey, 'applications:write apis:write');
    const refused = await machine({ apis }, without);
    expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    assert.equal(refused.body.requiredPermission, 'apis:write');
    const { id } = (await machine({ apis }, both)).body;
    expectProblem(await change(id, { name: 'Mine' }, without), 403, 'AUTHORIZATION_DENIED');
    const secret = `/v1/admin/applications/${id}/secrets`;
    expectProblem(await latchkey.api(secret, { token: without, method: 'POST' }), 403, 'AUTHORIZATION_DENIED');
  });

  test('end with the API or the scope, and do not return with one of the same name', async () => {
    const api = await newApi();
    const { id } = (await add({ apis: [{ identifier: api.identifier, scopes: ['read', 'write'] }] })).body;
    const scopes = (...names: string[]) =>
      latchkey.api(`/v1/admin/apis/${api.id}`, {
        token,
        method: 'PATCH',
        body: { scopes: names.map((name) => ({ name, description: 'New words' })) },
      });
    await scopes('read');
    await scopes('read', 'write');
    assert.deepEqual(await apisOf(id), [{ identifier: api.identifier, scopes: ['read'], machineScopes: [] }]);
    await latchkey.api(`/v1/admin/apis/${api.id}`, { token, method: 'DELETE' });
    assert.deepEqual(await apisOf(id), []);
    const again = await latchkey.api('/v1/admin/apis', { token, body: { identifier: api.identifier, name: 'Orders' } });
    assert.equal(again.status, 201);
    assert.deepEqual(await apisOf(id), []);
  });

  test('the later of two concurrent grants replaces the earlier one as a whole', async () => {
    const [first, second] = [await newApi(), await newApi()];
    const { id } = (await add({})).body;
    const grants = [first, second].map(({ identifier }) => [{ identifier, scopes: ['read'], machineScopes: [] }]);
    await Promise.all(grants.map((apis) => change(id, { apis })));
    const stands = await apisOf(id);
    assert.ok(grants.some((apis) => JSON.stringify(apis) === JSON.stringify(stands)));
  });

  test('granting while the API is removed leaves no grant', async () => {
    const { id: apiId, identifier } = await newApi();
    const { id } = (await add({})).body;
    await Promise.all([
      change(id, { apis: [{ identifier, scopes: ['read'] }] }),
      latchkey.api(`/v1/admin/apis/${apiId}`, { token, method: 'DELETE' }),
    ]);
    assert.deepEqual(await apisOf(id), []);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import {
  expectProblem,
  managementToken,
  requestManagementToken,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import {
  addApis,
  addApplication,
  addBackEnd,
  addShop,
  EXCHANGE,
  exchange,
  expectRefusal,
  REDIRECT,
  STOCK,
  signedInForOrders,
} from '#tests/token-exchange.ts';

let latchkey: TestLatchkey;
let admin: string;
before(async () => {
  latchkey = await startTestLatchkey();
  admin = await managementToken(latchkey);
  await addApis(latchkey);
});
after(() => latchkey.stop());

const changed = (id: string, body: Record<string, unknown>) =>
  latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'PATCH', body });

describe('the grant type of token exchange', () => {
  test('is not a default, and an application without it is refused', async () => {
    const shop = await addShop(latchkey);
    const { access_token: token } = (await signedInForOrders(latchkey, shop)).tokens;
    expectRefusal(await exchange(latchkey, shop, token), 'invalid_request');
    expectRefusal(
      await exchange(latchkey, { ...(await addBackEnd(latchkey)), secret: 'wrong' }, token),
      'invalid_client',
    );
  });

  test('is not for public kinds, nor for applications whose tokens are bound to a key', async () => {
    for (const body of [
      { kind: 'spa', redirectUris: [REDIRECT], grants: ['authorization_code', EXCHANGE] },
      { kind: 'native', redirectUris: [REDIRECT], grants: ['authorization_code', EXCHANGE] },
      { kind: 'device', grants: ['urn:ietf:params:oauth:grant-type:device_code', EXCHANGE] },
      { kind: 'web', redirectUris: [REDIRECT], grants: ['authorization_code', EXCHANGE], dpopBound: true },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await latchkey.api('/v1/admin/applications', { token: admin, body: { name: 'Wrong', ...body } });
      expectProblem(response, 400, 'VALIDATION_FAILED');
    }
    const { id } = await addBackEnd(latchkey);
    expectProblem(await changed(id, { dpopBound: true }), 400, 'VALIDATION_FAILED');
  });

  test('can be used only by the project’s own applications, which is checked at each use', async () => {
    const [shop, orders] = [await addShop(latchkey), await addBackEnd(latchkey)];
    const { access_token: token } = (await signedInForOrders(latchkey, shop)).tokens;
    assert.equal((await changed(orders.id, { firstParty: false })).status, 200);
    expectRefusal(await exchange(latchkey, orders, token), 'unauthorized_client');
    assert.equal((await changed(orders.id, { firstParty: true })).status, 200);
    assert.equal((await exchange(latchkey, orders, token)).status, 200);
    assert.equal((await changed(orders.id, { grants: ['authorization_code'] })).status, 200);
    expectRefusal(await exchange(latchkey, orders, token), 'invalid_request');
  });

  test('works for a management client', async () => {
    const service = await addApplication(latchkey, {
      kind: 'management',
      name: 'Service',
      apis: [{ identifier: STOCK }],
      grants: ['client_credentials', EXCHANGE],
    });
    const { body, text } = await exchange(
      latchkey,
      service,
      (await signedInForOrders(latchkey, await addShop(latchkey))).tokens.access_token,
    );
    assert.ok(body.access_token, text);
    assert.deepEqual(decodeJwt(body.access_token)['act'], { sub: service.clientId });
  });

  test('granting it, or adding a secret to such an application, needs applications:delegate', async () => {
    const limited = await addApplication(latchkey, {
      kind: 'management',
      name: 'Deployer',
      permissions: ['applications:read', 'applications:write', 'applications:trust'],
    });
    const { clientId: client_id, secret: client_secret } = limited;
    const { body: issued } = await requestManagementToken(latchkey, { client_id, client_secret });
    const token = issued.access_token;
    const body = { kind: 'web', name: 'X', redirectUris: [REDIRECT], grants: ['authorization_code', EXCHANGE] };
    const response = await latchkey.api('/v1/admin/applications', { token, body });
    expectProblem(response, 403, 'AUTHORIZATION_DENIED');
    assert.equal(response.body.requiredPermission, 'applications:delegate');
    const { id } = await addBackEnd(latchkey);
    const secret = await latchkey.api(`/v1/admin/applications/${id}/secrets`, { token, method: 'POST' });
    expectProblem(secret, 403, 'AUTHORIZATION_DENIED');
  });

  test('is in the metadata', async () => {
    const { body } = await latchkey.auth('/.well-known/openid-configuration');
    assert.ok(body.grant_types_supported.includes(EXCHANGE));
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { actionHandler, respondToAction, verifyAction } from './actions.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const other = `whsec_${Buffer.from('another of thirty-two bytes .....').toString('base64')}`;
const signIn = {
  moment: 'sign_in',
  actionId: 'act_1',
  dryRun: false,
  entrance: 'password',
  person: { email: 'a@rival.example' },
};

function call(content: object, by = secret) {
  const body = JSON.stringify(content);
  const at = new Date();
  const headers = {
    'webhook-id': 'acl_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('acl_1', at, body),
  };
  return { body, headers };
}
const request = (...args: Parameters<typeof call>) =>
  new Request('https://shop.example/', { method: 'POST', ...call(...args) });

const handle = actionHandler(secret, {
  sign_in: ({ person: { email } }) =>
    email?.endsWith('@rival.example') ? { decision: 'refuse', message: 'Write to us.' } : { decision: 'allow' },
});

describe('actionHandler', () => {
  test('answers the moment with its function', async () => {
    const response = await handle(request(signIn));
    assert.deepEqual([response.status, await response.json()], [200, { decision: 'refuse', message: 'Write to us.' }]);
  });

  test('answers 401 to a call with another signature, and to the delivery of a webhook', async () => {
    assert.equal((await handle(request(signIn, other))).status, 401);
    assert.equal((await handle(request({ type: 'user.created', id: 'evt_1' }))).status, 401);
    assert.equal((await handle(new Request('https://shop.example/', { method: 'POST', body: '{}' }))).status, 401);
  });

  test('answers 404 to a moment without a function', async () => {
    assert.equal((await handle(request({ ...signIn, moment: 'token' }))).status, 404);
    assert.equal((await handle(request({ ...signIn, moment: 'toString' }))).status, 404);
  });
});

test('verifyAction and respondToAction serve any kind of server, and either secret during a rotation', async () => {
  const verified = await verifyAction(call({ ...signIn, moment: 'token' }), [other, secret]);
  const claims = { 'https://shop.example/plan': 'pro' };
  assert.deepEqual(await respondToAction(verified, { token: () => ({ decision: 'allow', claims }) }), {
    decision: 'allow',
    claims,
  });
});

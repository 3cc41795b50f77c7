import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { sendMessage } from '#messages';
import { signatures } from '#platform/signing-secrets.ts';
import { ACTIONS, actionsOf, allows, refuses, responds, type TestActions } from '#tests/actions.ts';
import {
  changeSettings,
  eventually,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  register,
  requestManagementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn, userInfoOf } from '#tests/oidc.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';

const PLAN = 'https://shop.example/plan';

const clock = new TestClock();
let latchkey: TestLatchkey;
let receiver: Receiver;
let token: string;
let actions: TestActions;
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey({ clock }), startReceiver()]);
  token = await managementToken(latchkey);
  actions = await actionsOf(latchkey, receiver);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));
afterEach(() => actions.removeAll());

const NONE: { body: string; headers: Record<string, string> } = { body: '', headers: {} };

describe('the claims of tokens', () => {
  const claims = (plan: unknown) => responds({ decision: 'allow', claims: { [PLAN]: plan } });

  test('are in access tokens of sign-ins and refreshes, with the value of the moment', async () => {
    const action = await actions.add('token', claims('free'));
    const person = await register(latchkey);
    assert.equal(decodeJwt(person.access_token)[PLAN], 'free');
    receiver.on(action.path, claims({ name: 'pro', seats: 3 }));
    const refreshed = await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: person.refresh_token } });
    assert.deepEqual(decodeJwt(refreshed.body.access_token)[PLAN], { name: 'pro', seats: 3 });
    assert.equal((await latchkey.api('/v1/me/context', { token: refreshed.body.access_token })).status, 200);
  });

  test('a refresh token is not spent while the action fails', async () => {
    const person = await register(latchkey);
    const action = await actions.add('token', respondWith(500));
    const refresh = () => latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: person.refresh_token } });
    expectProblem(await refresh(), 503, 'SERVICE_UNAVAILABLE');
    clock.advance(120_000);
    receiver.on(action.path, claims('pro'));
    assert.equal((await refresh()).status, 200);
  });

  test('reserved names, names of Latchkey and too much are no answer', async () => {
    const action = await actions.add('token', allows, { onFailure: 'continue' });
    for (const wrong of [
      { sub: 'usr_1' },
      { exp: 1 },
      { roles: ['owner'] },
      { projectId: 'x' },
      { [PLAN]: 'x'.repeat(3_000) },
    ]) {
      receiver.on(action.path, responds({ decision: 'allow', claims: wrong }));
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { access_token, session } = await register(latchkey);
      const payload = decodeJwt(access_token);
      assert.deepEqual([payload.sub, payload['roles'], payload[PLAN]], [session.userId, undefined, undefined]);
      assert.equal(payload['projectId'], session.projectId);
    }
    assert.deepEqual(
      (await actions.callsOf(action.id)).map(({ decision }: { decision: string }) => decision),
      Array(5).fill('failed'),
    );
  });

  test('are in ID tokens, at userinfo and in management tokens', async () => {
    const person = await register(latchkey);
    const action = await actions.add('token', claims('pro'));
    const flow = await codeFlow(latchkey, { scope: 'openid profile' });
    const tokens = await flow.finish(await signInOn(latchkey, flow, person, browserOf(latchkey)));
    assert.equal(tokens.claims()?.[PLAN], 'pro');
    assert.equal((await userInfoOf(flow, tokens))[PLAN], 'pro');
    const told = actions.bodiesAt(action.path).find(({ application }) => application !== null);
    assert.equal(told.person.email, person.email);
    const management = await requestManagementToken(latchkey);
    const payload = decodeJwt(management.body.access_token);
    assert.equal(payload[PLAN], 'pro');
    assert.equal((await latchkey.api(ACTIONS, { token: management.body.access_token })).status, 200);
    assert.equal(actions.bodiesAt(action.path).at(-1).person, null);
  });

  test('are asked for once when a machine requests a token, also while the action fails', async () => {
    const action = await actions.add('token', respondWith(500));
    const { status, body } = await requestManagementToken(latchkey);
    assert.deepEqual([status, body.error], [503, 'temporarily_unavailable']);
    assert.equal(receiver.at(action.path).length, 1);
  });
});

describe('before a message is sent', () => {
  const ask = (email: string) => latchkey.auth('/v1/auth/login/email-code', { body: { email } });

  test('the action replaces its words', async () => {
    const person = await register(latchkey);
    const { path } = await actions.add('message', (response, { body }) => {
      const { message } = JSON.parse(body);
      const said = { decision: 'allow', subject: 'Our words', text: `Ours.\n\n${message.text}` };
      response.writeHead(200).end(JSON.stringify(said));
    });
    await ask(person.email);
    await eventually(async () => {
      const { subject, text } = await lastMessage(latchkey, person.email);
      assert.deepEqual([subject, text.startsWith('Ours.')], ['Our words', true]);
    });
    const [{ message }] = actions.bodiesAt(path);
    assert.deepEqual([message.channel, message.to], ['email', person.email]);
  });

  test('a refused message is not sent, and an unknown address is not told to the action', async () => {
    const { email } = await register(latchkey);
    await changeSettings(latchkey, { registration: 'closed' });
    const { path } = await actions.add('message', refuses);
    assert.equal((await ask(newEmail())).status, 202);
    assert.equal((await ask(email)).status, 202);
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select status, error from messages where recipient = $1 order by id desc limit 1`,
        [email],
      );
      assert.deepEqual(rows, [{ status: 'failed', error: 'refused by an action' }]);
    });
    assert.equal(receiver.at(path).length, 1);
    await changeSettings(latchkey, { registration: 'open' });
  });
});

describe('before a text message is sent', () => {
  const to = '+4915112345678';
  const send = () =>
    latchkey.inProject((tx) => sendMessage(tx, { template: 'sms_code', to, variables: { code: '1234' } }));
  const statusOf = async () => {
    const { rows } = await latchkey.system.pool.query(
      `select status, error from messages where recipient = $1 order by id desc limit 1`,
      [to],
    );
    return rows[0];
  };

  test('the action replaces its text, but not by one that takes more segments than were reserved', async () => {
    const action = await actions.add('message', responds({ decision: 'allow', text: 'Ours: 1234' }));
    await send();
    await eventually(async () => assert.equal((await lastMessage(latchkey, to)).text, 'Ours: 1234'));
    receiver.on(action.path, responds({ decision: 'allow', text: 'x'.repeat(400) }));
    await send();
    await eventually(async () => {
      assert.equal((await statusOf()).status, 'sent');
      assert.match((await lastMessage(latchkey, to)).text, /1234/);
      assert.doesNotMatch((await lastMessage(latchkey, to)).text, /Ours|xxx/);
    });
    assert.deepEqual(
      actions.bodiesAt(action.path).map(({ message }) => [message.channel, message.to]),
      Array(2).fill(['sms', to]),
    );
  });

  test('a refused one is not sent; while the action fails, it waits', async () => {
    const action = await actions.add('message', refuses);
    await send();
    await eventually(async () =>
      assert.deepEqual(await statusOf(), { status: 'failed', error: 'refused by an action' }),
    );
    receiver.on(action.path, respondWith(500));
    await send();
    await eventually(async () => {
      const { status, error } = await statusOf();
      assert.equal(status, 'queued');
      assert.ok(error);
    });
  });
});

describe('a test of an action', () => {
  test('sends an example, also while it is disabled, and shows request and answer', async () => {
    const action = await actions.add('token', responds({ decision: 'allow', claims: { [PLAN]: 1 } }), {
      enabled: false,
    });
    const { status, body } = await latchkey.api(`${ACTIONS}/${action.id}/test`, { token, method: 'POST' });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.decision, body.response, body.request.dryRun],
      ['allow', { decision: 'allow', claims: { [PLAN]: 1 } }, true],
    );
    assert.equal(actions.bodiesAt(action.path)[0].dryRun, true);
    assert.equal((await actions.callsOf(action.id))[0].dryRun, true);
  });

  test('after a rotation both secrets sign', async () => {
    const action = await actions.add('token', allows);
    const rotated = await latchkey.api(`${ACTIONS}/${action.id}/secret/rotate`, { token, body: {} });
    await latchkey.api(`${ACTIONS}/${action.id}/test`, { token, method: 'POST' });
    const [{ body, headers } = NONE] = receiver.at(action.path);
    const signed = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body };
    assert.equal(headers['webhook-signature'], signatures([rotated.body.secret, action.secret], signed));
  });
});

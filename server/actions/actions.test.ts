import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { addMember } from '#members';
import type { ProjectId } from '#platform/ids.ts';
import { signatures } from '#platform/signing-secrets.ts';
import { ACTIONS, actionsOf, allows, refuses, responds, type TestActions } from '#tests/actions.ts';
import {
  expectProblem,
  mailedCode,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf, codeFlow, returned, signInOn } from '#tests/oidc.ts';
import { type Behaviour, hangs, type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { newServiceProvider, sentForm, signInAtProvider } from '#tests/saml-service-provider.ts';
import { createAction } from './actions.ts';

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

const login = (email: string, password = PASSWORD, headers = {}): Promise<TestResponse> =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password }, headers });

const NONE: { body: string; headers: Record<string, string> } = { body: '', headers: {} };

describe('actions', () => {
  test('are created, listed, changed and removed; their secret is shown once', async () => {
    const given = { name: 'Risk', moment: 'sign_in', url: `${receiver.origin}/risk`, onFailure: 'continue' };
    const created = await latchkey.api(ACTIONS, { token, body: given });
    assert.equal(created.status, 201, created.text);
    const { secret, ...record } = created.body;
    assert.match(secret, /^whsec_/);
    assert.deepEqual(record, { ...record, ...given, enabled: true, position: 0, timeoutMs: 2_000 });
    const changed = await actions.change(record.id, { enabled: false, timeoutMs: 500 });
    assert.deepEqual([changed.body.enabled, changed.body.timeoutMs], [false, 500]);
    const { body } = await latchkey.api(ACTIONS, { token });
    assert.deepEqual(body.items, [changed.body]);
    assert.equal((await actions.remove(record.id)).status, 204);
    expectProblem(await latchkey.api(`${ACTIONS}/${record.id}`, { token }), 404, 'NOT_FOUND');
  });

  test('a project environment has twenty, however many are added at once', async () => {
    const given = {
      name: 'One of many',
      moment: 'message',
      url: `${receiver.origin}/m`,
      onFailure: 'continue',
      enabled: false,
    };
    const added = await Promise.all(Array.from({ length: 24 }, () => latchkey.api(ACTIONS, { token, body: given })));
    assert.deepEqual(
      [201, 409].map((status) => added.filter((one) => one.status === status).length),
      [20, 4],
    );
  });

  test('a private address, a faulty one and a time beyond five seconds are refused', async () => {
    const given = { name: 'A', moment: 'sign_in', url: 'https://example.com/', onFailure: 'refuse' };
    for (const wrong of [
      { url: 'http://169.254.169.254/' },
      { url: 'ftp://example.com/' },
      { timeoutMs: 5_001 },
      { onFailure: 'x' },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await latchkey.api(ACTIONS, { token, body: { ...given, ...wrong } }), 400, 'VALIDATION_FAILED');
    }
  });
});

describe('before a sign-in completes', () => {
  test('the action is told who signs in and how, signed by Standard Webhooks, and its refusal reaches the person', async () => {
    const person = await register(latchkey);
    const action = await actions.add('sign_in', refuses);
    const refused = await login(person.email);
    expectProblem(refused, 403, 'REFUSED_BY_ACTION');
    assert.equal(refused.body.detail, 'Not from here.');
    const [{ body, headers } = NONE] = receiver.at(action.path);
    const told = JSON.parse(body);
    assert.deepEqual([told.person.email, told.entrance, told.proof.amr], [person.email, 'password', ['pwd']]);
    const signed = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body };
    assert.equal(headers['webhook-signature'], signatures([action.secret], signed));
    const [call] = await actions.callsOf(action.id);
    assert.deepEqual(
      [call.decision, call.statusCode, call.error, call.dryRun],
      ['refuse', 200, 'Not from here.', false],
    );
    assert.ok(!JSON.stringify(call).includes(person.email), 'the log holds nobody');
    await actions.change(action.id, { enabled: false });
    assert.equal((await login(person.email)).status, 200);
    assert.equal(receiver.at(action.path).length, 1);
  });

  test('nobody learns from it whether an account exists: wrong passwords and unknown addresses call nothing', async () => {
    const person = await register(latchkey);
    const { path } = await actions.add('sign_in', refuses);
    expectProblem(await login(person.email, 'another password'), 401, 'INVALID_CREDENTIALS');
    expectProblem(await login(newEmail()), 401, 'INVALID_CREDENTIALS');
    assert.equal(receiver.at(path).length, 0);
  });

  test('a failure continues or refuses, as the action says', async () => {
    const person = await register(latchkey);
    const faults: Behaviour[] = [
      respondWith(500),
      respondWith(302, { location: 'https://example.com/' }),
      respondWith(200, {}, 'yes'),
      responds({ decision: 'deny' }),
      responds({ decision: 'allow', also: 1 }),
      respondWith(200, {}, `{"decision":"allow"${' '.repeat(20_000)}}`),
    ];
    const action = await actions.add('sign_in', allows);
    for (const fault of faults) {
      receiver.on(action.path, fault);
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await actions.change(action.id, { onFailure: 'refuse' });
      const refused = await login(person.email);
      expectProblem(refused, 503, 'SERVICE_UNAVAILABLE');
      assert.ok(refused.headers.get('retry-after'));
      await actions.change(action.id, { onFailure: 'continue' });
      assert.equal((await login(person.email)).status, 200);
    }
    receiver.on(action.path, respondWith(204));
    await actions.change(action.id, { onFailure: 'refuse' });
    assert.equal((await login(person.email)).status, 200);
  });

  test('a receiver that does not respond is left alone after five calls, for half a minute', async () => {
    const person = await register(latchkey);
    const action = await actions.add('sign_in', hangs, { timeoutMs: 100, onFailure: 'continue' });
    for (let call = 0; call < 7; call += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await login(person.email)).status, 200);
    }
    assert.equal(receiver.at(action.path).length, 5);
    receiver.on(action.path, refuses);
    clock.advance(31_000);
    expectProblem(await login(person.email), 403, 'REFUSED_BY_ACTION');
    expectProblem(await login(person.email), 403, 'REFUSED_BY_ACTION');
  });

  test('several are called in order, until one refuses', async () => {
    const person = await register(latchkey);
    const last = await actions.add('sign_in', allows, { position: 2 });
    const first = await actions.add('sign_in', allows, { position: 0 });
    const second = await actions.add('sign_in', refuses, { position: 1 });
    expectProblem(await login(person.email), 403, 'REFUSED_BY_ACTION');
    assert.deepEqual(
      [first, second, last].map(({ path }) => receiver.at(path).length),
      [1, 1, 0],
    );
  });

  test('no connection is held while it is called: more sign-ins than the pool has connections wait at once', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => register(latchkey)));
    const { max } = latchkey.system.pool.options;
    const sent = Array.from(
      { length: Math.min(40, max * 2) },
      (_, index) => people[index % people.length]?.email ?? '',
    );
    const waiting: (() => void)[] = [];
    await actions.add(
      'sign_in',
      (response) => {
        waiting.push(() => response.writeHead(204).end());
        if (waiting.length === sent.length) for (const respond of waiting) respond();
      },
      { timeoutMs: 5_000, onFailure: 'continue' },
    );
    const responses = await Promise.all(
      sent.map((email, index) =>
        login(email, PASSWORD, {
          'x-forwarded-for': `10.7.0.${index}`,
          ...(index % 2 === 0 && { 'idempotency-key': `at-once-${index}` }),
        }),
      ),
    );
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    assert.equal(waiting.length, sent.length);
  });

  test('a sign-in with an Idempotency-Key asks once, and its repetition gets the first response', async () => {
    const person = await register(latchkey);
    const { path } = await actions.add('sign_in', allows);
    const headers = { 'idempotency-key': 'sign-in', 'x-correlation-id': 'one-sign-in' };
    const first = await login(person.email, PASSWORD, headers);
    const again = await login(person.email, PASSWORD, headers);
    assert.equal(first.status, 200, first.text);
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [first.body, 'true']);
    assert.equal(receiver.at(path).length, 1);
    const { rows } = await latchkey.system.pool.query(
      `select count(*)::int as sessions from sessions where user_id = $1`,
      [person.session.userId],
    );
    assert.equal(rows[0].sessions, 2, 'one of the registration, one of both requests');
  });

  test('a code is not spent by a refusal, and a refused second factor is asked about when the sign-in completes', async () => {
    const person = await register(latchkey);
    const action = await actions.add('sign_in', refuses);
    const { body } = await latchkey.auth('/v1/auth/login/email-code', { body: { email: person.email } });
    const proof = { flowId: body.flowId, code: await mailedCode(latchkey, person.email) };
    const verify = () => latchkey.auth('/v1/auth/login/email-code/verify', { body: proof });
    expectProblem(await verify(), 403, 'REFUSED_BY_ACTION');
    receiver.on(action.path, allows);
    assert.equal((await verify()).status, 200);
    assert.deepEqual(
      actions.bodiesAt(action.path).map(({ entrance }) => entrance),
      ['email_code', 'email_code'],
    );
  });

  test('the hosted page tells what the action said, and the browser does not come back', async () => {
    const person = await register(latchkey);
    await actions.add('sign_in', responds({ decision: 'refuse', message: 'Not <b>from</b> here.' }));
    const page = await signInOn(latchkey, await codeFlow(latchkey), person);
    assert.equal(page.status, 400);
    assert.match(page.text, /Not &lt;b&gt;from&lt;\/b&gt; here\./);
  });
});

describe('entering another project with a session', () => {
  let projectId: ProjectId;
  let clientId: string;
  before(async () => {
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    projectId = second.id;
    const url = `${receiver.origin}/second`;
    const application = await inSecond(async (tx) => {
      await createAction(tx, { name: 'Second', moment: 'sign_in', url, onFailure: 'refuse' });
      const redirectUris = ['http://localhost:5173/callback'];
      return createApplication(tx, { kind: 'spa', name: 'Second', redirectUris });
    });
    clientId = application.clientId;
  });
  const inSecond: TestLatchkey['inProject'] = (work) => latchkey.inProject(work, { projectId });
  const entrances = () => actions.bodiesAt('/second').map(({ entrance }) => entrance);

  async function memberOfBoth() {
    const person = await register(latchkey);
    await inSecond((tx) => addMember(tx, person.session.userId));
    return person;
  }

  test('switch-context asks the actions of the project, and not again inside', async () => {
    const person = await memberOfBoth();
    const { workspaceId } = latchkey.demo;
    const body = { workspaceId, projectId, environment: 'test' };
    const switchBy = (accessToken: string) =>
      latchkey.auth('/v1/sessions/switch-context', { token: accessToken, body });
    const before = entrances().length;
    receiver.on('/second', refuses);
    expectProblem(await switchBy(person.access_token), 403, 'REFUSED_BY_ACTION');
    receiver.on('/second', allows);
    const inside = await switchBy(person.access_token);
    assert.equal(inside.status, 200, inside.text);
    assert.equal((await switchBy(inside.body.access_token)).status, 200);
    assert.deepEqual(entrances().slice(before), ['switch_context', 'switch_context']);
  });

  test('single sign-on asks them too: the application is told that access is denied, or to try again', async () => {
    const person = await memberOfBoth();
    const browser = browserOf(latchkey);
    await signInOn(latchkey, await codeFlow(latchkey), person, browser);
    const enter = async () => {
      const { url } = await browser.open((await codeFlow(latchkey, {}, { clientId })).url);
      return returned(url);
    };
    const before = entrances().length;
    receiver.on('/second', refuses);
    const refused = await enter();
    assert.deepEqual([refused['error'], refused['error_description']], ['access_denied', 'Not from here.']);
    receiver.on('/second', respondWith(500));
    assert.equal((await enter())['error'], 'temporarily_unavailable');
    receiver.on('/second', allows);
    assert.ok((await enter())['code']);
    assert.ok((await enter())['code']);
    assert.deepEqual(entrances().slice(before), Array(3).fill('authorize'));
  });

  test('a service provider by SAML is told that access is denied, and nothing about the person', async () => {
    const person = await memberOfBoth();
    const browser = browserOf(latchkey);
    receiver.on('/second', allows);
    await signInOn(latchkey, await codeFlow(latchkey, {}, { clientId }), person, browser);
    const at = await newServiceProvider(latchkey);
    const action = await actions.add('sign_in', refuses);
    const enter = () => signInAtProvider(latchkey, at, { person, browser });
    const refused = sentForm((await enter()).page);
    assert.equal(refused.status, 'Responder RequestDenied');
    assert.ok(!refused.xml.includes(person.email));
    receiver.on(action.path, allows);
    assert.equal(sentForm((await enter()).page).status, 'Success');
  });
});

describe('before a registration', () => {
  test('a refused person gets no account, whether or not the address has one', async () => {
    const known = await register(latchkey);
    const { path } = await actions.add('registration', refuses);
    const email = newEmail();
    const request = (address: string) =>
      latchkey.auth('/v1/auth/register', {
        body: { email: address, password: PASSWORD, profile: { displayName: 'Ada' } },
      });
    expectProblem(await request(email), 403, 'REFUSED_BY_ACTION');
    expectProblem(await request(known.email), 403, 'REFUSED_BY_ACTION');
    const [told] = actions.bodiesAt(path);
    assert.deepEqual([told.person.id, told.person.email, told.person.displayName], [null, email, 'Ada']);
    expectProblem(await login(email), 401, 'INVALID_CREDENTIALS');
  });

  test('an account that a sign-in would create is asked about too, with the address that is proven', async () => {
    const action = await actions.add('registration', refuses);
    const email = newEmail();
    const { body } = await latchkey.auth('/v1/auth/login/email-code', { body: { email } });
    const proof = { flowId: body.flowId, code: await mailedCode(latchkey, email) };
    const verify = () => latchkey.auth('/v1/auth/login/email-code/verify', { body: proof });
    expectProblem(await verify(), 403, 'REFUSED_BY_ACTION');
    receiver.on(action.path, allows);
    assert.equal((await verify()).status, 200);
    const [, told] = actions.bodiesAt(action.path);
    assert.deepEqual([told.person.emailVerified, told.entrance, told.person.id], [true, 'email_code', null]);
  });

  test('registration and sign-in are each asked once when a person registers', async () => {
    const registering = await actions.add('registration', allows);
    const entering = await actions.add('sign_in', allows);
    await register(latchkey);
    assert.deepEqual([receiver.at(registering.path).length, receiver.at(entering.path).length], [1, 1]);
  });
});

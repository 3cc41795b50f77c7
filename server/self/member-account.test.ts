import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linkIdentity } from '#linked-identities';
import { softwareAuthenticator } from '#tests/authenticator.ts';
import { totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  operator = await signInOperator(latchkey);
});
after(() => latchkey.stop());

type Person = Awaited<ReturnType<typeof register>>;

const userOf = (person: Person) => `usr_${person.session.userId.slice(4)}` as const;

async function memberOf({ email }: { email: string }): Promise<string> {
  const { body } = await operator.call(`/console/v1/members?q=${encodeURIComponent(email)}`);
  return body.items[0].id;
}

const account = (memberId: string, who = operator) => who.call(`/console/v1/members/${memberId}/account`);
const login = (email: string, password: string) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password } });

describe('the account of a member', () => {
  test('shows the profile, factors, passkeys and linked accounts, and no secret', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Ada', givenName: 'Ada' } });
    const { secret } = await totpOf(latchkey, person, clock);
    await latchkey.inProject((tx) =>
      linkIdentity(tx, userOf(person), { provider: 'google', issuer: 'https://g.example', subject: 's1', email: null }),
    );
    const memberId = await memberOf(person);
    const { status, body, text } = await account(memberId);
    assert.equal(status, 200, text);
    assert.equal(body.profile.givenName, 'Ada');
    assert.equal(body.hasPassword, true);
    assert.deepEqual(
      body.factors.map(({ type }: { type: string }) => type),
      ['totp'],
    );
    assert.deepEqual(
      body.linkedIdentities.map(({ provider, subject }: { provider: string; subject: string }) => [provider, subject]),
      [['google', 's1']],
    );
    assert.deepEqual(body.throttled, []);
    assert.ok(!text.includes(secret), 'no seed');
    assert.ok(body.recoveryCodesLeft > 0);
  });

  test('loses a factor, its recovery codes and a linked account, and their owner is told', async () => {
    const person = await register(latchkey);
    await totpOf(latchkey, person, clock);
    await latchkey.inProject((tx) =>
      linkIdentity(tx, userOf(person), { provider: 'google', issuer: 'https://g.example', subject: 's2', email: null }),
    );
    const memberId = await memberOf(person);
    const { body } = await account(memberId);
    const remove = (path: string) => operator.call(`/console/v1/members/${memberId}${path}`, { method: 'DELETE' });
    assert.equal((await remove(`/factors/${body.factors[0].id}`)).status, 204);
    assert.equal((await remove(`/linked-identities/${body.linkedIdentities[0].id}`)).status, 204);
    expectProblem(await remove(`/factors/${body.factors[0].id}`), 404, 'NOT_FOUND');
    const { body: after } = await account(memberId);
    assert.deepEqual([after.factors, after.linkedIdentities, after.recoveryCodesLeft], [[], [], 0]);
    const { body: inbox } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(person.email)}`);
    assert.ok(inbox.items.length >= 2, 'the person is told');
  });

  test('a passkey is removed, but not the last sign-in method', async (context) => {
    const person = await register(latchkey);
    const { access_token: token } = person;
    const key = softwareAuthenticator(latchkey.system.config.addresses.test.auth);
    const passkeys = '/v1/me/security/passkeys';
    const { flowId, options } = (await latchkey.api(`${passkeys}/options`, { token, body: {} })).body;
    await latchkey.api(passkeys, { token, body: { flowId, response: key.create(options) } });
    const memberId = await memberOf(person);
    const [{ id }] = (await account(memberId)).body.passkeys;
    const remove = () => operator.call(`/console/v1/members/${memberId}/passkeys/${id}`, { method: 'DELETE' });
    const { methods: signInMethods } = (await latchkey.auth('/v1/auth/methods')).body;
    context.after(() => changeSettings(latchkey, { signInMethods }));
    await changeSettings(latchkey, { signInMethods: ['passkey'] });
    expectProblem(await remove(), 409, 'LAST_SIGN_IN_METHOD');
    await changeSettings(latchkey, { signInMethods });
    assert.equal((await remove()).status, 204);
    assert.deepEqual((await account(memberId)).body.passkeys, []);
  });

  test('names where attempts are refused, and can be unlocked at once', async () => {
    const person = await register(latchkey);
    const memberId = await memberOf(person);
    for (let attempt = 0; attempt < 21; attempt++) {
      // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
      await login(person.email, 'not the password');
    }
    expectProblem(await login(person.email, PASSWORD), 429, 'ACCOUNT_THROTTLED');
    const [throttled] = (await account(memberId)).body.throttled;
    assert.deepEqual([throttled.way, typeof throttled.source], ['password', 'string']);
    assert.equal((await operator.call(`/console/v1/members/${memberId}/unlock`, { method: 'POST' })).status, 204);
    assert.equal((await login(person.email, PASSWORD)).status, 200);
    assert.deepEqual((await account(memberId)).body.throttled, []);
    const events = await eventsOf(latchkey, person.session.userId);
    assert.ok(events.includes('security.account_unlocked'));
  });

  test('of somebody who never came shows nothing; another project and other roles get nothing', async () => {
    const email = `never.${Date.now()}@people.example`;
    const elsewhere = latchkey.demo.projects[1]?.id;
    const person = await register(latchkey);
    const added = await operator.call('/console/v1/members', {
      body: { email: person.email },
      headers: { 'x-project-id': elsewhere },
    });
    assert.equal(added.status, 201, added.text);
    const there = { headers: { 'x-project-id': elsewhere } };
    const unseen = await operator.call(`/console/v1/members/${added.body.id}/account`, there);
    expectProblem(unseen, 403, 'AUTHORIZATION_DENIED');
    const unlocking = { method: 'POST', ...there };
    expectProblem(
      await operator.call(`/console/v1/members/${added.body.id}/unlock`, unlocking),
      403,
      'AUTHORIZATION_DENIED',
    );
    const memberId = await memberOf(person);
    expectProblem(await operator.call(`/console/v1/members/${memberId}/account`, there), 404, 'NOT_FOUND');
    expectProblem(await account(memberId, await teammate(latchkey, 'analyst')), 403, 'AUTHORIZATION_DENIED');
    const { body } = await operator.call('/console/v1/members', { body: { email } });
    assert.equal((await account(body.id)).status, 200, 'an account that the project made');
  });

  test('gets another mail to verify the address, unless it is verified', async () => {
    const email = `unproven.${Date.now()}@people.example`;
    const { body } = await operator.call('/console/v1/members', { body: { email } });
    const send = () => operator.call(`/console/v1/members/${body.id}/send-verification`, { method: 'POST' });
    assert.equal((await send()).status, 202);
    const { body: inbox } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(email)}`);
    assert.match(inbox.items[0].text, /\/verify/);
    await operator.call(`/console/v1/members/${body.id}`, { method: 'PATCH', body: { email, emailVerified: true } });
    expectProblem(await send(), 409, 'CONFLICT');
  });
});

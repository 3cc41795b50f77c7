import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { updateSettings } from '#environments';
import { challengeIn, totpOf } from '#tests/factors.ts';
import {
  expectProblem,
  lastMessage,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf, codeFlow, returned, signInOn } from '#tests/oidc.ts';
import { siblingsOf } from '#tests/siblings.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
const { policies, login, verify, switchTo, refresh, memberOfBoth } = siblingsOf(() => latchkey);
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());
beforeEach(() => policies('optional', 'optional'));

/** Sets up a phone as a second factor. */
async function setUpPhone(at: TestLatchkey, token: string, number: string): Promise<void> {
  clock.advance(60_000);
  const begun = await at.api('/v1/me/security/mfa/phone', { token, body: { phone: number } });
  const code = /\d{8}/.exec((await lastMessage(at, number)).text)?.[0];
  const added = await at.api('/v1/me/security/mfa/phone/confirm', { token, body: { flowId: begun.body.flowId, code } });
  assert.equal(added.status, 200, added.text);
}

describe('the first factor and the second', () => {
  let numbers = 100;
  const newPhone = () => {
    numbers += 1;
    return `+4915112345${numbers}`;
  };

  /** Signs in with a code sent to a phone. */
  async function byPhone(number: string): Promise<TestResponse> {
    const begun = await latchkey.auth('/v1/auth/login/phone', { body: { phone: number } });
    const code = /\d{6,8}/.exec((await lastMessage(latchkey, number)).text)?.[0];
    return latchkey.auth('/v1/auth/login/phone/verify', { body: { flowId: begun.body.flowId, code } });
  }

  before(() => latchkey.inProject((tx) => updateSettings(tx, { signInMethods: ['password', 'phone', 'passkey'] })));

  test('must differ: one phone is not two factors, and a person with a password starts with it', async () => {
    const number = newPhone();
    const person = await register(latchkey);
    const { access_token: token } = person;
    const begun = await latchkey.api('/v1/me/profile/phone', { token, body: { phone: number } });
    const code = /\d{8}/.exec((await lastMessage(latchkey, number)).text)?.[0];
    await latchkey.api('/v1/me/profile/phone/verify', { token, body: { flowId: begun.body.flowId, code } });
    await setUpPhone(latchkey, (await login(person)).body.access_token, number);
    clock.advance(60_000);
    expectProblem(await byPhone(number), 403, 'METHOD_DISABLED');
    assert.ok(challengeIn(await login(person)).factors.some(({ type }) => type === 'phone'));
  });

  test('a person with only a phone must enrol another factor if two are required, and otherwise has one factor', async () => {
    const number = newPhone();
    const first = await byPhone(number);
    assert.equal(first.status, 200, first.text);
    await setUpPhone(latchkey, first.body.access_token, number);
    clock.advance(60_000);
    const optional = await byPhone(number);
    assert.equal(optional.body.session.acr, 'aal1');
    clock.advance(60_000);
    await policies('required', 'optional');
    const required = await byPhone(number);
    assert.deepEqual(required.body.enrollment, ['totp']);
    assert.deepEqual(required.body.factors, []);
  });

  test('a phone that was the first factor is neither offered nor accepted as the second', async () => {
    const number = newPhone();
    const app = await totpOf(latchkey, (await byPhone(number)).body, clock);
    clock.advance(60_000);
    const strong = await verify(await byPhone(number), app.code());
    await setUpPhone(latchkey, strong.body.access_token, number);
    clock.advance(60_000);
    const question = await byPhone(number);
    const { mfaToken, factors } = challengeIn(question);
    assert.deepEqual(
      factors.map(({ type }) => type),
      ['totp', 'recovery_code'],
    );
    const { rows } = await latchkey.system.pool.query(`select id from mfa_factors where phone = $1`, [number]);
    const prompted = await latchkey.auth('/v1/auth/mfa/challenge', { body: { mfaToken, factorId: rows[0].id } });
    expectProblem(prompted, 404, 'NOT_FOUND');
    assert.equal((await verify(question, app.code())).body.session.acr, 'aal2');
  });
});

describe('a forgotten password', () => {
  test('cannot be reset with the phone that is the second factor, which would then be both', async () => {
    const person = await register(latchkey);
    const { access_token: token } = person;
    const number = '+4915112345678';
    const begun = await latchkey.api('/v1/me/profile/phone', { token, body: { phone: number } });
    const code = /\d{8}/.exec((await lastMessage(latchkey, number)).text)?.[0];
    const proven = await latchkey.api('/v1/me/profile/phone/verify', {
      token,
      body: { flowId: begun.body.flowId, code },
    });
    assert.equal(proven.status, 204, proven.text);
    clock.advance(60_000);
    const forgot = () => latchkey.auth('/v1/auth/password/forgot', { body: { identifier: number } });
    const { text: verification } = await lastMessage(latchkey, number);
    assert.equal((await forgot()).status, 202);
    assert.notEqual((await lastMessage(latchkey, number)).text, verification, 'a code was sent to the phone');
    await setUpPhone(latchkey, (await login(person)).body.access_token, number);
    const { text: before } = await lastMessage(latchkey, number);
    clock.advance(60_000);
    assert.equal((await forgot()).status, 202);
    assert.equal((await lastMessage(latchkey, number)).text, before, 'nothing more was sent to the phone');
    assert.match((await lastMessage(latchkey, person.email)).text, /password/i);
  });
});

describe('a newly enrolled factor', () => {
  test('is required by sign-ins that were started before it', async () => {
    const person = await memberOfBoth();
    const other = (await login(person)).body;
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey);
    await flow.finish(await signInOn(latchkey, flow, person, browser));
    await totpOf(latchkey, person, clock);
    assert.equal((await refresh(other.refresh_token)).status, 401);
    assert.equal((await switchTo(other.access_token)).status, 401);
    const silent = await codeFlow(latchkey, { prompt: 'none' });
    assert.equal(returned((await browser.open(silent.url)).url)['error'], 'login_required');
  });
});

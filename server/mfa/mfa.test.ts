import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { type App, challengeIn, codesOf, totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  lastMessage,
  mailedCode,
  managementToken,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

type Person = Awaited<ReturnType<typeof register>>;

const login = (person: Person, extra: Record<string, unknown> = {}) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD, ...extra } });
const verify = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/mfa/verify', { body });
const security = async (token: string) => (await latchkey.api('/v1/me/security', { token })).body;

describe('an authenticator app', () => {
  let person: Person;
  let app: App;
  beforeEach(async () => {
    person = await register(latchkey);
    app = await totpOf(latchkey, person, clock);
  });

  test('is asked for after the password, and raises the session to aal2 with both methods', async () => {
    const { mfaToken, factors } = challengeIn(await login(person));
    assert.deepEqual(
      factors.map(({ type }) => type),
      ['totp', 'recovery_code'],
    );
    const response = await verify({ mfaToken, code: app.code() });
    assert.equal(response.status, 200, response.text);
    const { amr, acr } = decodeJwt(response.body.access_token);
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], 'aal2']);
    assert.ok((await eventsOf(latchkey, person.session.userId)).includes('user.mfa.challenged'));
  });

  test('AU-4 a code works once, also when two sign-ins use it at the same moment', async () => {
    const code = app.code();
    const tokens = await Promise.all(Array.from({ length: 10 }, async () => challengeIn(await login(person)).mfaToken));
    const responses = await Promise.all(tokens.map((mfaToken) => verify({ mfaToken, code })));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    const { mfaToken } = challengeIn(await login(person));
    expectProblem(await verify({ mfaToken, code }), 401, 'INVALID_CODE');
    clock.advance(30_000);
    assert.equal((await verify({ mfaToken, code: app.code() })).status, 200);
  });

  test('AU-4 the code of the previous step is accepted, an older one is not', async () => {
    const old = app.code();
    clock.advance(30_000);
    const first = challengeIn(await login(person));
    assert.equal((await verify({ mfaToken: first.mfaToken, code: old })).status, 200);
    clock.advance(30_000);
    const older = app.code();
    clock.advance(60_000);
    const second = challengeIn(await login(person));
    expectProblem(await verify({ mfaToken: second.mfaToken, code: older }), 401, 'INVALID_CODE');
  });

  test('AU-3 only five of 200 parallel guesses are checked, then the challenge is void', async () => {
    const { mfaToken } = challengeIn(await login(person));
    const wrong = app.code() === '000000' ? '111111' : '000000';
    await Promise.all(Array.from({ length: 200 }, () => verify({ mfaToken, code: wrong })));
    const response = await verify({ mfaToken, code: app.code() });
    assert.ok(['INVALID_TOKEN', 'ACCOUNT_THROTTLED'].includes(response.body.errorCode), response.text);
    const failed = (await eventsOf(latchkey, person.session.userId)).filter((type) => type === 'user.mfa.failed');
    assert.equal(failed.length, 5);
  });

  test('a challenge ends after ten minutes, works once and in its environment only', async () => {
    const used = challengeIn(await login(person)).mfaToken;
    assert.equal((await verify({ mfaToken: used, code: app.code() })).status, 200);
    clock.advance(30_000);
    expectProblem(await verify({ mfaToken: used, code: app.code() }), 400, 'INVALID_TOKEN');
    const { mfaToken } = challengeIn(await login(person));
    const elsewhere = await latchkey.auth(
      '/v1/auth/mfa/verify',
      { body: { mfaToken, code: app.code() } },
      'production',
    );
    expectProblem(elsewhere, 400, 'INVALID_TOKEN');
    clock.advance(601_000);
    expectProblem(await verify({ mfaToken, code: app.code() }), 400, 'INVALID_TOKEN');
  });

  test('recovery codes: ten, each works once, also under twenty parallel attempts; new ones replace the old', async () => {
    assert.equal(app.recoveryCodes.length, 10);
    const [code, another] = app.recoveryCodes;
    const tokens = await Promise.all(Array.from({ length: 4 }, async () => challengeIn(await login(person)).mfaToken));
    const tries = tokens.flatMap((mfaToken) => Array.from({ length: 5 }, () => verify({ mfaToken, code })));
    const responses = await Promise.all(tries);
    const entered = responses.filter(({ status }) => status === 200);
    assert.equal(entered.length, 1);
    const token = entered[0]?.body.access_token;
    assert.equal((await security(token)).recoveryCodesLeft, 9);
    assert.match((await lastMessage(latchkey, person.email)).text, /recovery code/i);
    const renewed = await latchkey.api('/v1/me/security/recovery-codes', { token, body: {} });
    assert.equal(renewed.body.recoveryCodes.length, 10);
    const { rows } = await latchkey.system.pool.query('select hash from recovery_codes where user_id = $1', [
      person.session.userId,
    ]);
    assert.ok(rows.every(({ hash }) => Buffer.isBuffer(hash) && !hash.toString().includes(String(code))));
    const next = challengeIn(await login(person));
    expectProblem(await verify({ mfaToken: next.mfaToken, code: another }), 401, 'INVALID_CODE');
  });

  test('a remembered device skips the factor for thirty days, and can be removed', async () => {
    const { mfaToken } = challengeIn(await login(person));
    const { deviceToken, access_token: token } = (await verify({ mfaToken, code: app.code(), rememberDevice: true }))
      .body;
    assert.ok(deviceToken);
    assert.equal((await login(person, { deviceToken })).body.session?.acr, 'aal1');
    const stranger = await register(latchkey);
    const strangers = await totpOf(latchkey, stranger, clock);
    assert.ok(strangers);
    assert.equal((await login(stranger, { deviceToken })).body.status, 'mfa_required');
    const [device] = (await security(token)).rememberedDevices;
    const forgotten = await latchkey.api(`/v1/me/security/devices/${device.id}`, { token, method: 'DELETE' });
    assert.equal(forgotten.status, 204, forgotten.text);
    assert.equal((await login(person, { deviceToken })).body.status, 'mfa_required');
    const again = challengeIn(await login(person));
    const later = (await verify({ mfaToken: again.mfaToken, code: app.code(), rememberDevice: true })).body.deviceToken;
    clock.advance(31 * 86_400_000);
    assert.equal((await login(person, { deviceToken: later })).body.status, 'mfa_required');
  });

  test('AU-7 removing it needs a recent sign-in and is reported by mail; then no factor is asked for', async () => {
    const { mfaToken } = challengeIn(await login(person));
    const token = (await verify({ mfaToken, code: app.code() })).body.access_token;
    clock.advance(601_000);
    const remove = (as: string) => latchkey.api('/v1/me/security/mfa/totp', { token: as, method: 'DELETE' });
    const refused = await remove(token);
    expectProblem(refused, 401, 'REAUTHENTICATION_REQUIRED');
    assert.deepEqual([refused.body.maxAge, refused.body.acr], [600, 'aal2']);
    const raised = await latchkey.auth('/v1/auth/reauthenticate', { token, body: { code: app.code() } });
    assert.equal((await remove(raised.body.access_token)).status, 204);
    assert.match((await lastMessage(latchkey, person.email)).text, /authenticator/i);
    assert.ok((await login(person)).body.access_token);
  });

  test('an administrator removes all factors, and the person is notified', async () => {
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${person.email}`, { token });
    assert.equal(body.items[0].mfaEnabled, true);
    const response = await latchkey.api(`/v1/admin/members/${body.items[0].id}/reset-mfa`, { token, method: 'POST' });
    assert.equal(response.status, 204, response.text);
    assert.ok((await login(person)).body.access_token);
  });
});

describe('a phone as second factor', () => {
  test('AU-5 is set up with a code, labelled as restricted, and used with another code', async () => {
    const person = await register(latchkey);
    const phone = '+4915112345678';
    const token = person.access_token;
    const begun = await latchkey.api('/v1/me/security/mfa/phone', { token, body: { phone } });
    assert.equal(begun.status, 202, begun.text);
    const sent = async () => /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0];
    const confirmed = await latchkey.api('/v1/me/security/mfa/phone/confirm', {
      token,
      body: { flowId: begun.body.flowId, code: await sent() },
    });
    assert.equal(confirmed.status, 200, confirmed.text);
    const { mfaToken, factors } = challengeIn(await login(person));
    const [factor] = factors.filter(({ type }) => type === 'phone');
    assert.deepEqual(factor, { type: 'phone', id: factor?.id, hint: '+49•••78', restricted: true });
    const code = await sent();
    expectProblem(await verify({ mfaToken, code }), 401, 'INVALID_CODE');
    const asked = await latchkey.auth('/v1/auth/mfa/challenge', { body: { mfaToken, factorId: factor?.id } });
    assert.equal(asked.status, 200, asked.text);
    const soon = await latchkey.auth('/v1/auth/mfa/challenge', { body: { mfaToken, factorId: factor?.id } });
    expectProblem(soon, 429, 'RATE_LIMIT_EXCEEDED');
    const response = await verify({ mfaToken, factorId: factor?.id, code: await sent() });
    assert.deepEqual([response.body.session?.amr, response.body.session?.acr], [['pwd', 'sms', 'mfa'], 'aal2']);
  });

  test('AU-5 a mailed code is no second factor', async () => {
    const person = await prove(latchkey, await register(latchkey));
    await totpOf(latchkey, person, clock);
    const { body } = await latchkey.auth('/v1/auth/login/email-code', { body: { email: person.email } });
    const code = await mailedCode(latchkey, person.email);
    const first = await latchkey.auth('/v1/auth/login/email-code/verify', { body: { flowId: body.flowId, code } });
    assert.equal(first.body.status, 'mfa_required');
    assert.ok(first.body.factors.every(({ type }: { type: string }) => type !== 'email'));
  });
});

describe('the policy', () => {
  after(() => changeSettings(latchkey, { mfa: 'optional' }));

  test('required: a factor is set up before the first session, and recovery codes are shown once', async () => {
    const person = await register(latchkey);
    await changeSettings(latchkey, { mfa: 'required' });
    const challenge = (await login(person)).body;
    assert.deepEqual([challenge.status, challenge.factors, challenge.enrollment], ['mfa_required', [], ['totp']]);
    const { mfaToken } = challenge;
    const begun = await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });
    assert.match(begun.body.uri, /^otpauth:\/\/totp\/Shop:/);
    assert.match(begun.body.qrSvg, /^<svg/);
    const code = codesOf(begun.body.secret, clock);
    const confirm = (value: string) =>
      latchkey.auth('/v1/auth/mfa/enroll/confirm', { body: { mfaToken, factorId: begun.body.id, code: value } });
    expectProblem(await confirm(code() === '000000' ? '111111' : '000000'), 401, 'INVALID_CODE');
    const done = await confirm(code());
    assert.equal(done.body.recoveryCodes?.length, 10, done.text);
    assert.equal(done.body.session.acr, 'aal2');
    expectProblem(await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } }), 400, 'INVALID_TOKEN');
  });

  test('off: factors that exist are not asked for, and none can be added', async () => {
    await changeSettings(latchkey, { mfa: 'optional' });
    const person = await register(latchkey);
    await totpOf(latchkey, person, clock);
    await changeSettings(latchkey, { mfa: 'off' });
    assert.ok((await login(person)).body.access_token);
    const other = await register(latchkey);
    const refused = await latchkey.api('/v1/me/security/mfa/totp', { token: other.access_token, body: {} });
    expectProblem(refused, 403, 'METHOD_DISABLED');
  });
});

describe('authenticating again', () => {
  before(() => changeSettings(latchkey, { mfa: 'optional' }));
  const reauthenticate = (token: string, body: Record<string, unknown>) =>
    latchkey.auth('/v1/auth/reauthenticate', { token, body });

  test('SE-1 renews the time, ends the earlier tokens, and keeps the session', async () => {
    const person = await register(latchkey);
    clock.advance(700_000);
    const response = await reauthenticate(person.access_token, { password: PASSWORD });
    assert.equal(response.body.session.id, person.session.id);
    assert.ok(Date.parse(response.body.session.authTime) > Date.parse(person.session.authTime));
    expectProblem(await latchkey.api('/v1/me/context', { token: person.access_token }), 401, 'SESSION_REVOKED');
    const { refresh_token } = person;
    expectProblem(await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } }), 401, 'SESSION_REVOKED');
  });

  test('a factor of another kind raises the level; an address does not', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const raised = await reauthenticate(person.access_token, { code: app.code() });
    assert.deepEqual(
      [raised.body.session?.amr, raised.body.session?.acr],
      [['pwd', 'otp', 'mfa'], 'aal2'],
      raised.text,
    );
    const other = await register(latchkey);
    const { body } = await latchkey.auth('/v1/auth/login/email-code', { body: { email: other.email } });
    const emailCode = { flowId: body.flowId, code: await mailedCode(latchkey, other.email) };
    assert.equal((await reauthenticate(other.access_token, { emailCode })).body.session.acr, 'aal1');
  });

  test('another person’s code, a wrong password or an empty body proves nothing', async () => {
    const [person, other] = [await register(latchkey), await register(latchkey)];
    const { body } = await latchkey.auth('/v1/auth/login/email-code', { body: { email: other.email } });
    const emailCode = { flowId: body.flowId, code: await mailedCode(latchkey, other.email) };
    expectProblem(await reauthenticate(person.access_token, { emailCode }), 401, 'INVALID_CODE');
    expectProblem(await reauthenticate(person.access_token, { password: 'wrong' }), 401, 'INVALID_CREDENTIALS');
    expectProblem(await reauthenticate(person.access_token, {}), 400, 'VALIDATION_FAILED');
  });

  test('AU-1 guesses at the password of a stolen session are limited too', async () => {
    const person = await register(latchkey);
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => reauthenticate(person.access_token, { password: 'wrong' })),
    );
    const looked = responses.filter(({ body }) => body.errorCode === 'INVALID_CREDENTIALS').length;
    assert.equal(looked, 20);
  });
});

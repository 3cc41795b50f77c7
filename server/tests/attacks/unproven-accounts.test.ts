import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replaceAddress } from '#people';
import { type Employer, LINKS, type Person, startEmployer } from '#tests/at-provider.ts';
import { totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  lastMessage,
  mailedCode,
  mailedToken,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Browser, browserOf, codeFlow } from '#tests/oidc.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let employer: Employer;
let auth: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  employer = await startEmployer(latchkey);
  auth = latchkey.system.config.addresses.test.auth;
});
after(() => Promise.all([latchkey.stop(), employer.stop()]));

let phones = 0;
function newPhone(): string {
  phones += 1;
  return `+4915155500${String(phones).padStart(3, '0')}`;
}

const login = (identifier: string, password = PASSWORD) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier, password } });
const HERS = 'a password of her own choice';

/** Presses the button of a mailed link. */
const press = (browser: Browser, page: Awaited<ReturnType<Browser['open']>>, fields: Record<string, string> = {}) =>
  browser.submit(page, fields, '/link/verify');

describe('a registration whose address must be proven first', () => {
  before(() => changeSettings(latchkey, { emailVerification: 'required' }));
  after(() => changeSettings(latchkey, { emailVerification: 'off', signInMethods: [...METHODS] }));

  const begin = async () => {
    const email = newEmail();
    const asked = await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD } });
    assert.equal(asked.body.status, 'verification_required', asked.text);
    return { email, flowId: asked.body.flowId };
  };

  test('a password chosen in one browser is not activated by a click in another, where the person chooses one', async () => {
    const { email } = await begin();
    const owner = browserOf(latchkey);
    const page = await owner.open(`${auth}/link/verify?token=${await mailedToken(latchkey, email)}`);
    assert.match(page.text, /the password chosen there is not used/);
    assert.match(page.text, /autocomplete="new-password"/);
    assert.match((await press(owner, page, { password: HERS })).text, /is confirmed/);
    expectProblem(await login(email), 401, 'INVALID_CREDENTIALS');
    assert.equal((await login(email, HERS)).status, 200);
  });

  test('if the person chooses none, the account has no password', async () => {
    const { email } = await begin();
    const token = await mailedToken(latchkey, email);
    const proven = await latchkey.auth('/v1/auth/email/verify', { body: { token } });
    assert.deepEqual(proven.body.session.amr, ['otp'], proven.text);
    expectProblem(await login(email), 401, 'INVALID_CREDENTIALS');
    const { body } = await latchkey.api('/v1/me/security', { token: proven.body.access_token });
    assert.equal(body.hasPassword, false);
  });

  test('if passwords are the only sign-in method, the person must choose one, and a weak one is refused', async () => {
    await changeSettings(latchkey, { signInMethods: ['password'] });
    const { email } = await begin();
    const token = await mailedToken(latchkey, email);
    const verify = (more: Record<string, string>) =>
      latchkey.auth('/v1/auth/email/verify', { body: { token, ...more } });
    expectProblem(await verify({}), 400, 'VALIDATION_FAILED');
    expectProblem(await verify({ password: 'short' }), 400, 'WEAK_PASSWORD');
    assert.equal((await verify({ password: HERS })).status, 200);
    assert.equal((await login(email, HERS)).status, 200);
    await changeSettings(latchkey, { signInMethods: [...METHODS] });
  });

  test('the code typed in the original browser, and the link opened there, keep the password', async () => {
    const { email, flowId } = await begin();
    const code = await mailedCode(latchkey, email);
    assert.equal((await latchkey.auth('/v1/auth/email/verify', { body: { flowId, code } })).status, 200);
    assert.equal((await login(email)).status, 200);
    const other = newEmail();
    const browser = browserOf(latchkey);
    const start = await browser.open((await codeFlow(latchkey)).url);
    const form = await browser.open(`${start.url}/register`);
    await browser.submit(form, { email: other, password: PASSWORD }, '/register');
    const page = await browser.open(`${auth}/link/verify?token=${await mailedToken(latchkey, other)}`);
    assert.ok(!page.text.includes('new-password'), page.text);
    await press(browser, page);
    assert.equal((await login(other)).status, 200);
  });

  test('a click elsewhere on a sign-in mail proves the address and drops the password of the registration', async () => {
    await changeSettings(latchkey, { emailVerification: 'off' });
    const attacker = await register(latchkey);
    await changeSettings(latchkey, { emailVerification: 'required' });
    const asked = await login(attacker.email);
    assert.equal(asked.body.status, 'verification_required', asked.text);
    const owner = browserOf(latchkey);
    const page = await owner.open(`${auth}/link/verify?token=${await mailedToken(latchkey, attacker.email)}`);
    assert.match(page.text, /the password chosen there is not used/);
    await press(owner, page, { password: HERS });
    expectProblem(await login(attacker.email), 401, 'INVALID_CREDENTIALS');
    assert.equal((await login(attacker.email, HERS)).status, 200);
    await expectEnded(attacker);
  });
});

const METHODS = ['password', 'magic_link', 'email_code', 'passkey', 'social', 'phone'] as const;

async function expectEnded({ access_token: token, refresh_token }: Person): Promise<void> {
  assert.equal((await latchkey.api('/v1/me/profile', { token })).status, 401);
  assert.equal((await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } })).status, 401);
}

describe('an account registered with an unproven address of someone else', () => {
  /** An account with everything that an attacker can leave on it. */
  async function prehijacked() {
    const attacker = await register(latchkey);
    clock.advance(1_000);
    const token = attacker.access_token;
    const sub = crypto.randomUUID();
    const code = await employer.visit(browserOf(latchkey), await employer.beginLinking(attacker), { sub });
    assert.equal((await latchkey.api(LINKS, { token, body: { code } })).status, 201);
    const phone = newPhone();
    const sent = await latchkey.api('/v1/me/profile/phone', { token, body: { phone } });
    const { text } = await lastMessage(latchkey, phone);
    const proof = { flowId: sent.body.flowId, code: /\d{8}/.exec(text)?.[0] };
    assert.equal((await latchkey.api('/v1/me/profile/phone/verify', { token, body: proof })).status, 204);
    await totpOf(latchkey, attacker, clock);
    return { attacker, sub, phone };
  }

  type Left = Awaited<ReturnType<typeof prehijacked>>;

  async function expectNothingLeft({ attacker, sub, phone }: Left, owner: TestResponse['body'], hasPassword = false) {
    assert.equal(owner.session.userId, attacker.session.userId, 'the account stays');
    await expectEnded(attacker);
    expectProblem(await login(attacker.email), 401, 'INVALID_CREDENTIALS');
    const stranger = await employer.exchange(await employer.visit(browserOf(latchkey), employer.start(), { sub }));
    assert.notEqual(stranger.body.session?.userId, owner.session.userId, stranger.text);
    const { body } = await latchkey.api('/v1/me/security', { token: owner.access_token });
    assert.deepEqual(
      [body.hasPassword, body.mfa.enabled, body.passkeys.length, body.recoveryCodesLeft, body.rememberedDevices.length],
      [hasPassword, false, 0, 0, 0],
    );
    const profile = await latchkey.api('/v1/me/profile', { token: owner.access_token });
    assert.deepEqual([profile.body.emailVerified, profile.body.phone], [true, null]);
    const start = await latchkey.auth('/v1/auth/login/phone', { body: { phone } });
    const { text } = await lastMessage(latchkey, phone);
    const verify = { flowId: start.body.flowId, code: /\d{8}/.exec(text)?.[0] };
    const byPhone = await latchkey.auth('/v1/auth/login/phone/verify', { body: verify });
    assert.notEqual(byPhone.body.session?.userId, owner.session.userId, byPhone.text);
    assert.ok((await eventsOf(latchkey, owner.session.userId)).includes('user.reclaimed'));
  }

  test('a sign-in of the owner with a mailed code removes everything that was added', async () => {
    const left = await prehijacked();
    const { email } = left.attacker;
    const asked = await latchkey.auth('/v1/auth/login/email-code', { body: { email } });
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, email) };
    const owner = await latchkey.auth('/v1/auth/login/email-code/verify', { body: proof });
    assert.equal(owner.status, 200, owner.text);
    assert.match((await lastMessage(latchkey, email)).text, /All earlier sign-in data/);
    await expectNothingLeft(left, owner.body);
  });

  test('so does a mailed link', async () => {
    const left = await prehijacked();
    const { email } = left.attacker;
    await latchkey.auth('/v1/auth/login/magic-link', { body: { email } });
    const body = { token: await mailedToken(latchkey, email) };
    const owner = await latchkey.auth('/v1/auth/login/magic-link/verify', { body });
    assert.equal(owner.status, 200, owner.text);
    await expectNothingLeft(left, owner.body);
  });

  test('so does a new password', async () => {
    const left = await prehijacked();
    const { email } = left.attacker;
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: email } });
    const body = { token: await mailedToken(latchkey, email), newPassword: HERS };
    assert.equal((await latchkey.auth('/v1/auth/password/reset', { body })).status, 204);
    const owner = await login(email, HERS);
    assert.equal(owner.status, 200, owner.text);
    await expectNothingLeft(left, owner.body, true);
  });

  test('an owner who signs in with a provider proves the address first, and is then linked', async () => {
    const left = await prehijacked();
    const { email } = left.attacker;
    const claims = { sub: crypto.randomUUID(), email, email_verified: true };
    const browser = browserOf(latchkey);
    const asked = await employer.exchange(await employer.visit(browser, employer.start(), claims));
    assert.equal(asked.body.status, 'verification_required', asked.text);
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, email) };
    const owner = await latchkey.auth('/v1/auth/email/verify', { body: proof });
    assert.deepEqual(owner.body.session.amr, ['fed', 'otp'], owner.text);
    await expectNothingLeft(left, owner.body);
    const back = await employer.exchange(await employer.visit(browser, employer.start(), claims));
    assert.equal(back.body.session.userId, owner.body.session.userId);
  });

  test('an attacker with a provider account for the address is not linked by a click of its owner', async () => {
    const victim = await register(latchkey);
    const claims = { sub: crypto.randomUUID(), email: victim.email, email_verified: true };
    const attacker = await employer.exchange(await employer.visit(browserOf(latchkey), employer.start(), claims));
    assert.equal(attacker.body.status, 'verification_required', attacker.text);
    const owner = browserOf(latchkey);
    const page = await owner.open(`${auth}/link/verify?token=${await mailedToken(latchkey, victim.email)}`);
    await press(owner, page, { password: HERS });
    const entered = await login(victim.email, HERS);
    assert.deepEqual(await employer.links(entered.body), []);
    const again = await employer.exchange(await employer.visit(browserOf(latchkey), employer.start(), claims));
    assert.equal(again.body.status, 'link_required', again.text);
  });

  test('a holder who proves the address while signed in, or who proved it before, keeps everything', async () => {
    const holder = await prove(latchkey, await register(latchkey));
    const asked = await latchkey.auth('/v1/auth/login/email-code', { body: { email: holder.email } });
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, holder.email) };
    assert.equal((await latchkey.auth('/v1/auth/login/email-code/verify', { body: proof })).status, 200);
    assert.equal((await login(holder.email)).status, 200);
    assert.equal((await latchkey.api('/v1/me/profile', { token: holder.access_token })).status, 200);
    assert.ok(!(await eventsOf(latchkey, holder.session.userId)).includes('user.reclaimed'));
  });

  test('an account whose phone was proven before the address was added keeps what was added after it', async () => {
    const owner = await register(latchkey);
    const phone = newPhone();
    await latchkey.inProject((tx) => replaceAddress(tx, owner.session.userId, { kind: 'phone', value: phone }));
    const asked = await latchkey.auth('/v1/auth/login/email-code', { body: { email: owner.email } });
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, owner.email) };
    assert.equal((await latchkey.auth('/v1/auth/login/email-code/verify', { body: proof })).status, 200);
    assert.equal((await login(owner.email)).status, 200, 'its password');
  });

  test('an account with an owner keeps what it had before another address was added', async () => {
    const owner = await prove(latchkey, await register(latchkey));
    const email = newEmail();
    clock.advance(1_000);
    await latchkey.inProject((tx) =>
      replaceAddress(tx, owner.session.userId, { kind: 'email', value: email, verified: false }),
    );
    const asked = await latchkey.auth('/v1/auth/login/email-code', { body: { email } });
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, email) };
    assert.equal((await latchkey.auth('/v1/auth/login/email-code/verify', { body: proof })).status, 200);
    assert.equal((await login(email)).status, 200, 'its password');
  });
});

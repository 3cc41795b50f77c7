import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replaceAddress } from '#people';
import { softwareAuthenticator } from '#tests/authenticator.ts';
import { challengeIn } from '#tests/factors.ts';
import {
  expectProblem,
  mailedCode,
  mailedToken,
  managementToken,
  newEmail,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { addEmployer, type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf } from '#tests/oidc.ts';
import { newPhone, type Person, peopleAt, type Session } from '#tests/protected-person.ts';

const REDIRECT = 'http://localhost:5173/callback';

const clock = new TestClock();
let latchkey: TestLatchkey;
let upstream: Issuer;
let people: ReturnType<typeof peopleAt>;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey({ clock }), startIssuer()]);
  people = peopleAt(latchkey, clock);
  await addEmployer(latchkey, upstream);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const me: ReturnType<typeof peopleAt>['me'] = (...call) => people.me(...call);
const post = (path: string, body: unknown) => latchkey.auth(path, { body });

/** A change of credentials that leaves the sign-in methods unchanged. */
async function changePhone(session: Pick<Session, 'access_token'>): Promise<void> {
  const phone = newPhone();
  const { body } = await me('/profile/phone', session, { body: { phone } });
  const proof = { flowId: body.flowId, code: await people.textedCode(phone) };
  assert.equal((await me('/profile/phone/verify', session, { body: proof })).status, 204);
}

/** The code that a clicked sign-in link brought to the application. */
async function clickedLinkOf(person: Person): Promise<string> {
  const { clientId } = latchkey.demo.environments.test;
  await post('/v1/auth/login/magic-link', { email: person.email, clientId, redirectUri: REDIRECT });
  const token = await mailedToken(latchkey, person.email);
  const browser = browserOf(latchkey);
  const page = await browser.open(`${latchkey.system.config.addresses.test.auth}/link/sign-in?token=${token}`);
  const { url, text } = await browser.submit(page, {});
  const code = new URL(url).searchParams.get('code');
  assert.ok(code, `${url} ${text}`);
  return code;
}

describe('a proof that was requested before a change', () => {
  test('does not reset the password: of two reset links only one works', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const first = await people.resetLinkOf(person);
    clock.advance(31_000);
    const second = await people.resetLinkOf(person);
    assert.notEqual(first, second);
    assert.equal((await people.reset({ token: first })).status, 204);
    expectProblem(await people.reset({ token: second }), 400, 'INVALID_TOKEN');
  });

  test('does not reset the password from a mailbox that no longer belongs to the person', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const begun = await people.forgot(person);
    const [token, code] = [await mailedToken(latchkey, person.email), await mailedCode(latchkey, person.email)];
    const next = newEmail();
    const { body } = await me('/profile/email', person, { body: { email: next } });
    const proof = { flowId: body.flowId, code: await mailedCode(latchkey, next) };
    assert.equal((await me('/profile/email/verify', person, { body: proof })).status, 204);
    expectProblem(await people.reset({ token }), 400, 'INVALID_TOKEN');
    expectProblem(await people.reset({ flowId: begun.body.flowId, code }), 401, 'INVALID_CODE');
  });

  test('does not reset the password once the address belongs to another account', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const token = await people.resetLinkOf(person);
    const { userId } = person.session;
    await latchkey.inProject((tx) => replaceAddress(tx, userId, { kind: 'email', value: newEmail() }));
    expectProblem(await people.reset({ token }), 401, 'INVALID_CODE');
  });

  test('does not reset the password after an administrator requested another reset', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const token = await people.resetLinkOf(person);
    const admin = await managementToken(latchkey);
    const found = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(person.email)}`, { token: admin });
    const path = `/v1/admin/members/${found.body.items[0].id}/reset-password`;
    assert.equal((await latchkey.api(path, { token: admin, method: 'POST' })).status, 202);
    expectProblem(await people.reset({ token }), 400, 'INVALID_TOKEN');
    assert.equal((await people.reset({ token: await mailedToken(latchkey, person.email) })).status, 204);
  });

  test('does not restore an account that its person erased', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const token = await people.resetLinkOf(person);
    assert.equal((await me('', person, { method: 'DELETE' })).status, 202);
    expectProblem(await people.reset({ token }), 400, 'INVALID_TOKEN');
  });

  test('signs nobody in: links, codes, second steps and exchange codes', async () => {
    const { person, app, strong } = await people.protectedPerson();
    const clicked = await clickedLinkOf(person);
    const { mfaToken } = challengeIn(await people.login(person));
    const emailCode = await post('/v1/auth/login/email-code', { email: person.email });
    const code = await mailedCode(latchkey, person.email);
    await post('/v1/auth/login/magic-link', { email: person.email });
    const token = await mailedToken(latchkey, person.email);
    await changePhone(strong);
    expectProblem(await post('/v1/auth/login/social/exchange', { code: clicked }), 400, 'INVALID_TOKEN');
    expectProblem(await people.verify({ mfaToken, code: app.code() }), 400, 'INVALID_TOKEN');
    const { flowId } = emailCode.body;
    expectProblem(await post('/v1/auth/login/email-code/verify', { flowId, code }), 401, 'INVALID_CODE');
    expectProblem(await post('/v1/auth/login/magic-link/verify', { token }), 400, 'INVALID_TOKEN');
  });

  test('completes no linking that was started before', async () => {
    const { strong } = await people.protectedPerson();
    const clientId = latchkey.demo.environments.test.clientId;
    const begun = await me('/linked-identities', strong, {
      body: { provider: 'employer', clientId, redirectUri: REDIRECT },
    });
    const { auth } = latchkey.system.config.addresses.test;
    const browser = browserOf(latchkey);
    upstream.claims = { sub: crypto.randomUUID() };
    const there = await browser.open(new URL(begun.body.url, auth).href);
    await changePhone(strong);
    const back = new URLSearchParams(upstream.approve(there.url));
    const { text } = await browser.open(`${auth}/v1/auth/login/social/employer/callback?${back}`);
    assert.match(text, /INVALID_TOKEN/);
    assert.deepEqual((await me('/linked-identities', strong)).body.items, []);
  });
});

describe('a passkey challenge', () => {
  const key = () => softwareAuthenticator(latchkey.system.config.addresses.test.auth);
  const options = async (): Promise<TestResponse['body']> => (await post('/v1/auth/login/passkey/options', {})).body;

  async function withKey() {
    const person: Person = await prove(latchkey, await register(latchkey));
    const own = key();
    const { body } = await me('/security/passkeys/options', person, { body: {} });
    const made = { flowId: body.flowId, response: own.create(body.options), secondFactor: true };
    assert.equal((await me('/security/passkeys', person, { body: made })).status, 201);
    return { person, own };
  }

  test('for a new passkey is not accepted for a sign-in', async () => {
    const { person, own } = await withKey();
    const { body } = await me('/security/passkeys/options', person, { body: {} });
    const response = own.get({ challenge: body.options.challenge, rpId: body.options.rp.id });
    const result = await post('/v1/auth/login/passkey/verify', { flowId: body.flowId, response });
    expectProblem(result, 401, 'INVALID_CREDENTIALS');
  });

  test('for a sign-in is not accepted for a new passkey', async () => {
    const { person } = await withKey();
    const asked = await options();
    const response = key().create({ challenge: asked.options.challenge, rp: { id: asked.options.rpId } });
    const result = await me('/security/passkeys', person, { body: { flowId: asked.flowId, response } });
    expectProblem(result, 401, 'INVALID_CODE');
  });

  test('for a new passkey is accepted only in the session that requested it', async () => {
    const { person, own } = await withKey();
    const { body: asked } = await post('/v1/auth/login/passkey/options', {});
    const other = await post('/v1/auth/login/passkey/verify', {
      flowId: asked.flowId,
      response: own.get(asked.options),
    });
    const { body } = await me('/security/passkeys/options', person, { body: {} });
    const response = { flowId: body.flowId, response: key().create(body.options) };
    expectProblem(await me('/security/passkeys', other.body, { body: response }), 401, 'INVALID_CODE');
  });

  test('from before a change creates no passkey after it', async () => {
    const { person } = await withKey();
    const { body } = await me('/security/passkeys/options', person, { body: {} });
    await changePhone(person);
    const response = { flowId: body.flowId, response: key().create(body.options) };
    expectProblem(await me('/security/passkeys', person, { body: response }), 401, 'INVALID_CODE');
  });

  test('for a second step is accepted for that person’s second step only', async () => {
    const { person, own } = await withKey();
    const { mfaToken } = challengeIn(await people.login(person));
    const prompt = async () => (await post('/v1/auth/mfa/challenge', { mfaToken, factorId: 'passkey' })).body;
    const stolen = await prompt();
    const signIn = await post('/v1/auth/login/passkey/verify', {
      flowId: stolen.flowId,
      response: own.get(stolen.options),
    });
    expectProblem(signIn, 401, 'INVALID_CREDENTIALS');
    const asked = await prompt();
    const response = await people.verify({ mfaToken, flowId: asked.flowId, response: own.get(asked.options) });
    assert.equal(response.body.session?.acr, 'aal2', response.text);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { createApplication } from '#applications';
import { addAuthenticator, openBrowser } from '#tests/browser.ts';
import { challengeIn } from '#tests/factors.ts';
import {
  eventsOf,
  expectProblem,
  lastMessage,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { codeFlow, startApplicationServer } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

type Person = Awaited<ReturnType<typeof register>>;
type Device = { page: Page; cdp: CDPSession; authenticatorId: string };

/** A separate browser with an authenticator that verifies its user. */
async function device(verified = true): Promise<Device> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${latchkey.system.config.addresses.test.auth}/openapi.json`);
  return { page, ...(await addAuthenticator(page, { isUserVerified: verified })) };
}

/** Creates a passkey in the page. */
function create({ page }: Device, options: unknown): Promise<unknown> {
  return page.evaluate(async (json) => {
    const { PublicKeyCredential: type, navigator: browser } = Object(globalThis);
    const made = await browser.credentials.create({ publicKey: type.parseCreationOptionsFromJSON(json) });
    return made.toJSON();
  }, options);
}

/** Uses a passkey in the page. */
function get({ page }: Device, options: unknown): Promise<Record<string, unknown>> {
  return page.evaluate(async (json) => {
    const { PublicKeyCredential: type, navigator: browser } = Object(globalThis);
    const used = await browser.credentials.get({ publicKey: type.parseRequestOptionsFromJSON(json) });
    return used.toJSON();
  }, options);
}

async function add(on: Device, { access_token: token }: Person, extra: Record<string, unknown> = {}) {
  const begun = await latchkey.api('/v1/me/security/passkeys/options', { token, body: {} });
  assert.equal(begun.status, 200, begun.text);
  const response = await create(on, begun.body.options);
  return latchkey.api('/v1/me/security/passkeys', { token, body: { flowId: begun.body.flowId, response, ...extra } });
}

async function assertion(on: Device) {
  const { body } = await latchkey.auth('/v1/auth/login/passkey/options', { body: {} });
  return { flowId: body.flowId, response: await get(on, body.options) };
}

const signIn = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/login/passkey/verify', { body });

describe('a passkey', () => {
  test('AU-5 signs in without a name or a password, as two factors in one; its owner is notified', async () => {
    const person = await register(latchkey);
    const on = await device();
    const added = await add(on, person, { name: 'My laptop' });
    assert.deepEqual([added.status, added.body.name, added.body.secondFactor], [201, 'My laptop', false], added.text);
    assert.match((await lastMessage(latchkey, person.email)).text, /passkey/i);
    assert.ok((await eventsOf(latchkey, person.session.userId)).some((type) => type.includes('passkey')));
    const response = await signIn(await assertion(on));
    assert.equal(response.body.session?.userId, person.session.userId, response.text);
    assert.equal(response.body.session.acr, 'aal2');
    assert.ok(response.body.session.amr.includes('user'), response.body.session.amr);
  });

  test('a response works once, in time, and for its own challenge', async () => {
    const person = await register(latchkey);
    const on = await device();
    await add(on, person);
    const used = await assertion(on);
    assert.equal((await signIn(used)).status, 200);
    expectProblem(await signIn(used), 401, 'INVALID_CREDENTIALS');
    const [one, two] = [await assertion(on), await assertion(on)];
    expectProblem(await signIn({ flowId: one.flowId, response: two.response }), 401, 'INVALID_CREDENTIALS');
    const raced = await assertion(on);
    const responses = await Promise.all(Array.from({ length: 20 }, () => signIn(raced)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });

  test('a response that was signed for another origin, or changed afterwards, is refused', async () => {
    const person = await register(latchkey);
    const on = await device();
    await add(on, person);
    const { flowId, response } = await assertion(on);
    const inner = Object(response['response']);
    const data = JSON.parse(Buffer.from(String(inner.clientDataJSON), 'base64url').toString());
    assert.equal(data.origin, latchkey.system.config.addresses.test.auth);
    const forged = Buffer.from(JSON.stringify({ ...data, origin: 'https://evil.example' })).toString('base64url');
    const body = { flowId, response: { ...response, response: { ...inner, clientDataJSON: forged } } };
    expectProblem(await signIn(body), 401, 'INVALID_CREDENTIALS');
    const elsewhere = await assertion(on);
    const production = await latchkey.auth('/v1/auth/login/passkey/verify', { body: elsewhere }, 'production');
    expectProblem(production, 401, 'INVALID_CREDENTIALS');
  });

  test('a passkey that did not verify its user does not sign in', async () => {
    const person = await register(latchkey);
    const on = await device();
    await add(on, person);
    await on.cdp.send('WebAuthn.setUserVerified', { authenticatorId: on.authenticatorId, isUserVerified: false });
    await assert.rejects(assertion(on), /NotAllowedError/);
  });

  test('is asked for after the password if its owner made it a second factor', async () => {
    const [person, stranger] = [await register(latchkey), await register(latchkey)];
    const [on, theirs] = [await device(), await device()];
    await add(on, person, { secondFactor: true });
    await add(theirs, stranger);
    const login = () =>
      latchkey.auth('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD } });
    const { mfaToken, factors } = challengeIn(await login());
    assert.deepEqual(
      factors.map(({ type }) => type),
      ['passkey', 'recovery_code'],
    );
    const prompt = async () =>
      (await latchkey.auth('/v1/auth/mfa/challenge', { body: { mfaToken, factorId: 'passkey' } })).body;
    const verify = async (with_: Device) => {
      const { flowId, options } = await prompt();
      return latchkey.auth('/v1/auth/mfa/verify', { body: { mfaToken, flowId, response: await get(with_, options) } });
    };
    expectProblem(await verify(theirs), 401, 'INVALID_CODE');
    const response = await verify(on);
    assert.equal(response.body.session?.acr, 'aal2', response.text);
  });

  test('several can be listed, renamed and removed, but never the last sign-in method', async () => {
    const person = await register(latchkey);
    const [first, second] = [await device(), await device()];
    const one = await add(first, person, { name: 'One' });
    const two = await add(second, person, { name: 'Two' });
    const token = person.access_token;
    const path = (id: string) => `/v1/me/security/passkeys/${id}`;
    const renamed = await latchkey.api(path(one.body.id), { token, method: 'PATCH', body: { name: 'Phone' } });
    assert.equal(renamed.body.name, 'Phone');
    const { body } = await latchkey.api('/v1/me/security', { token });
    assert.deepEqual(body.passkeys.map(({ name }: { name: string }) => name).sort(), ['Phone', 'Two']);
    assert.equal((await latchkey.api(path(two.body.id), { token, method: 'DELETE' })).status, 204);
    expectProblem(await signIn(await assertion(second)), 401, 'INVALID_CREDENTIALS');
    await latchkey.system.pool.query('delete from passwords where user_id = $1', [person.session.userId]);
    await latchkey.system.pool.query('delete from identifiers where user_id = $1', [person.session.userId]);
    const last = await latchkey.api(path(one.body.id), { token, method: 'DELETE' });
    expectProblem(last, 409, 'LAST_SIGN_IN_METHOD');
  });

  test('signs in on the hosted page with its button', async () => {
    const person = await register(latchkey);
    const on = await device();
    await add(on, person);
    const application = await startApplicationServer();
    const redirectUri = `${application.origin}/callback`;
    const { clientId } = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'spa', name: 'Application', redirectUris: [redirectUri] }),
    );
    const flow = await codeFlow(latchkey, {}, { clientId, redirectUri });
    // Otherwise the name field offers the passkey, and this authenticator takes the first offer.
    await on.page.addInitScript(() => {
      Object(globalThis).PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
    await on.page.goto(flow.url);
    await on.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await on.page.waitForURL(`${application.origin}/**`);
    const tokens = await flow.finish({ url: on.page.url(), status: 200, text: '' });
    assert.equal(tokens.claims()?.sub, person.session.userId);
    application.stop();
  });
});

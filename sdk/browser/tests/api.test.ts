import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { admin } from '../../../server/tests/apis.ts';
import { addAuthenticator, openBrowser } from '../../../server/tests/browser.ts';
import { codesOf } from '../../../server/tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  lastMessage,
  mailedCode,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '../../../server/tests/harness.ts';
import { type App, apiPage, bundle, inPage, leaving, settled, startApp } from './app.ts';

const MAX_BYTES = 8_000;
const MINUTE = 60_000;
const RESET = { emailVerification: 'off', mfa: 'optional', proofOfWork: 'off', registration: 'open' };

let latchkey: TestLatchkey;
let browser: Browser;
let sdk: string;
let app: App;
before(async () => {
  latchkey = await startTestLatchkey();
  browser = await openBrowser();
  sdk = await bundle('api/index');
  app = await startApp(latchkey, { sdk, html: apiPage });
});
after(async () => {
  app.stop();
  await browser.close();
  await latchkey.stop();
});
afterEach(() => changeSettings(latchkey, RESET));

async function opened({ origin }: App = app, context?: BrowserContext): Promise<Page> {
  const page = await (context ?? (await browser.newContext())).newPage();
  await page.goto(origin);
  return page;
}

const json = (value: unknown) => JSON.stringify(value);
const withPassword = (email: string, password = PASSWORD) =>
  `auth.signInWithPassword(${json(email)}, ${json(password)})`;

async function signedIn(email: string, of: App = app, context?: BrowserContext): Promise<Page> {
  const page = await opened(of, context);
  await settled(page, 'signed-out');
  assert.deepEqual(await inPage(page, withPassword(email)), { status: 'signed_in' });
  await settled(page, 'signed-in');
  return page;
}

function codeNow(secret: string, periods = 0): string {
  return codesOf(secret, { now: () => new Date(Date.now() + periods * 30_000) })();
}

/** Calls `/v1/me` as the application. */
function me(page: Page, path: string, body?: object) {
  const init = body ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: json(body) } : {};
  return inPage(
    page,
    `sdk.accountOf(auth).fetch((await auth.methods?.() ?? await sdk.accountOf(auth).methods()).apiUrl + '/v1/me/${path}', ${json(init)})
      .then(async (response) => ({ status: response.status, body: await response.json().catch(() => null) }))`,
  );
}

test('the entry is less than 8 kB, compressed, and brings nothing of the hosted sign-in', () => {
  const size = brotliCompressSync(sdk).length;
  assert.ok(size < MAX_BYTES, `${size} bytes`);
  assert.doesNotMatch(sdk, /connect\/authorize/);
});

describe('a session of the API', () => {
  test('begins with a password, is shared by the tabs, and is renewed once for all', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const context = await browser.newContext();
    await context.clock.install();
    let renewals = 0;
    context.on('request', (request) => {
      if (request.url().endsWith('/v1/sessions/refresh') && request.method() === 'POST') renewals += 1;
    });
    const first = await signedIn(person.email, app, context);
    const { user, organization, isOnline } = await inPage(first, 'auth.state');
    assert.deepEqual(
      [user, organization, isOnline],
      [{ sub: person.session.userId, name: 'Ada', email: person.email }, null, true],
    );
    const second = await opened(app, context);
    await settled(second, 'signed-in');
    await context.clock.fastForward(20 * MINUTE);
    const tokens = await Promise.all([first, second, first].map((page) => page.evaluate('auth.token()')));
    assert.deepEqual([new Set(tokens).size, renewals], [1, 1]);
    await inPage(first, 'auth.signOut()');
    await settled(second, 'signed-out');
    assert.equal((await inPage(second, 'auth.token()')).failed, 'signed_out');
  });

  test('is refused with the reason: a wrong password, a closed registration', async () => {
    const { email } = await register(latchkey);
    const page = await opened();
    const wrong = await inPage(page, withPassword(email, 'wrong'));
    assert.deepEqual([wrong.failed, wrong.errorCode], ['refused', 'INVALID_CREDENTIALS']);
    await changeSettings(latchkey, { registration: 'closed' });
    const closed = await inPage(page, `auth.register({ email: '${newEmail()}', password: '${PASSWORD}' })`);
    assert.deepEqual([closed.failed, closed.errorCode], ['refused', 'REGISTRATION_CLOSED']);
  });

  test('in the tab survives a reload; one that ended elsewhere ends here', async (t) => {
    const kept = await startApp(latchkey, { sdk, html: apiPage, persistence: 'tab' });
    t.after(kept.stop);
    const person = await register(latchkey);
    const context = await browser.newContext();
    await context.clock.install();
    const page = await signedIn(person.email, kept, context);
    await page.reload();
    await settled(page, 'signed-in');
    await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } });
    await context.clock.fastForward(20 * MINUTE);
    assert.equal((await inPage(page, 'auth.token()')).failed, 'signed_out');
    assert.deepEqual(await inPage(page, 'auth.state'), { status: 'signed-out', reason: 'ended' });
  });

  test('in cookies is out of reach of scripts, survives a reload, and calls the API', async (t) => {
    const kept = await startApp(latchkey, { sdk, html: apiPage, persistence: 'cookies' });
    t.after(kept.stop);
    const { email } = await register(latchkey, { profile: { displayName: 'Ada' } });
    const context = await browser.newContext();
    const page = await signedIn(email, kept, context);
    assert.match((await inPage(page, 'auth.token()')).message, /cookie/);
    const stored: unknown = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    assert.doesNotMatch(String(stored), /lkr_|eyJ/);
    await page.reload();
    await settled(page, 'signed-in');
    assert.equal((await inPage(page, 'auth.state')).user.name, 'Ada');
    assert.equal((await me(page, 'profile')).body.email, email);
    await context.clearCookies({ name: /access/ });
    assert.equal((await me(page, 'profile')).status, 200, 'the cookie is renewed');
    await inPage(page, 'auth.signOut()');
    assert.deepEqual(await context.cookies().then((all) => all.filter(({ name }) => name.includes('refresh'))), []);
    await page.reload();
    await settled(page, 'signed-out');
  });

  test('sends tokens to known origins only', async () => {
    const page = await signedIn((await register(latchkey)).email);
    assert.match((await inPage(page, `auth.fetch('https://evil.example/')`)).message, /apiOrigins/);
  });

  test('goes on in another organization', async () => {
    const person = await register(latchkey);
    const { items } = await admin(latchkey, `members?q=${encodeURIComponent(person.email)}`);
    const { id } = await admin(latchkey, 'organizations', { body: { name: 'Alpha' } });
    await admin(latchkey, `organizations/${id}/members`, { body: { memberId: items[0].id, roles: [] } });
    const page = await signedIn(person.email);
    await inPage(page, `auth.switchOrganization('${id}')`);
    assert.equal((await inPage(page, 'auth.state')).organization, id);
    assert.equal((await me(page, 'context')).body.organization.name, 'Alpha');
    await inPage(page, 'auth.switchOrganization(null)');
    assert.equal((await me(page, 'context')).body.organization, null);
    assert.equal(
      (await inPage(page, `auth.switchOrganization('org_00000000000000000000000000')`)).errorCode,
      'NOT_FOUND',
    );
  });
});

describe('the ways in', () => {
  test('a mailed code, which can be sent again', async () => {
    const { email } = await register(latchkey);
    const page = await opened();
    const sent = await inPage(page, `auth.sendEmailCode('${email}')`);
    assert.deepEqual([sent.purpose, sent.to, sent.resendAfter], ['email_code', email, 30]);
    assert.equal((await inPage(page, `auth.verify(${json(sent)}, '00000000')`)).errorCode, 'INVALID_CODE');
    const early = await inPage(page, `auth.resend(${json(sent)})`);
    assert.deepEqual([early.errorCode, early.failed], ['RATE_LIMIT_EXCEEDED', 'unavailable']);
    const code = await mailedCode(latchkey, email);
    assert.equal((await inPage(page, `auth.verify(${json(sent)}, '${code}')`)).status, 'signed_in');
  });

  test('a mailed link comes back to the page that asked; a code that nobody asked for signs nobody in', async () => {
    const { email } = await register(latchkey);
    const context = await browser.newContext();
    const page = await opened(app, context);
    await page.goto(`${app.origin}/orders?page=2`);
    await settled(page, 'signed-out');
    await inPage(page, `auth.sendMagicLink('${email}')`);
    const link = /https?:\/\/\S+token=\S+/.exec((await lastMessage(latchkey, email)).text)?.[0] ?? '';
    const mail = await context.newPage();
    await mail.goto(link);
    await mail.locator('form button[type=submit], form button:not([type])').first().click();
    await settled(mail, 'signed-in');
    assert.equal(mail.url(), `${app.origin}/orders?page=2`);
    await mail.goto(`${app.origin}/?code=stolen&state=unknown`);
    assert.equal(Object(await mail.evaluate('globalThis.failure')).failed, 'sign_in_failed');
    assert.equal(mail.url(), `${app.origin}/`);
  });

  test('a registration whose address is verified first', async () => {
    await changeSettings(latchkey, { emailVerification: 'required' });
    const email = newEmail();
    const page = await opened();
    const step = await inPage(page, `auth.register({ email: '${email}', password: '${PASSWORD}' })`);
    assert.deepEqual([step.status, step.sent.purpose], ['verification', 'verify_email']);
    const code = await mailedCode(latchkey, email);
    assert.equal((await inPage(page, `auth.verify(${json(step.sent)}, '${code}')`)).status, 'signed_in');
    assert.equal((await inPage(page, 'auth.state')).user.email, email);
  });

  test('a second factor, which a remembered device skips, and recovery codes', async () => {
    await changeSettings(latchkey, { mfa: 'required' });
    const context = await browser.newContext();
    const page = await opened(app, context);
    const email = newEmail();
    const begun = await inPage(page, `auth.register({ email: '${email}', password: '${PASSWORD}' })`);
    assert.deepEqual([begun.status, begun.factors, begun.mustEnroll], ['second_factor', [], true]);
    const { id, secret, qrSvg } = await inPage(page, `auth.enrollTotp('${begun.mfaToken}')`);
    assert.match(qrSvg, /^<svg/);
    const confirm = { id, code: codeNow(secret) };
    const {
      status,
      recoveryCodes,
      before: then,
    } = await inPage(
      page,
      `auth.confirmTotp('${begun.mfaToken}', ${json(confirm)})
        .then(async (step) => ({ ...step, before: auth.state.status, after: await step.proceed() }))`,
    );
    assert.deepEqual([status, recoveryCodes.length, then], ['recovery_codes', 10, 'signed-out']);
    await inPage(page, 'auth.signOut()');
    const step = await inPage(page, withPassword(email));
    assert.deepEqual(
      step.factors.map(({ type }: { type: string }) => type),
      ['totp', 'recovery_code'],
    );
    const wrong = await inPage(page, `auth.verifyFactor('${step.mfaToken}', { code: 'aaaaa-aaaaa' })`);
    assert.equal(wrong.errorCode, 'INVALID_CODE', wrong.message);
    const proof = `{ code: '${codeNow(secret, 1)}' }, { rememberDevice: true }`;
    assert.equal((await inPage(page, `auth.verifyFactor('${step.mfaToken}', ${proof})`)).status, 'signed_in');
    await inPage(page, 'auth.signOut()');
    assert.equal((await inPage(page, withPassword(email))).status, 'signed_in', 'the device is remembered');
    const other = await opened();
    const again = await inPage(other, withPassword(email));
    const recovery = `auth.verifyFactor('${again.mfaToken}', { code: '${recoveryCodes[0]}' })`;
    assert.equal((await inPage(other, recovery)).status, 'signed_in');
  });

  test('a new password by a mailed code', async () => {
    const { email } = await register(latchkey);
    const page = await opened();
    const sent = await inPage(page, `auth.forgotPassword('${email}')`);
    const code = await mailedCode(latchkey, email);
    const newPassword = 'another fine password';
    const weak = await inPage(page, `auth.resetPassword(${json(sent)}, { code: '${code}', newPassword: 'short' })`);
    assert.equal(weak.errorCode, 'WEAK_PASSWORD');
    await inPage(page, `auth.resetPassword(${json(sent)}, { code: '${code}', newPassword: '${newPassword}' })`);
    assert.equal((await inPage(page, withPassword(email, newPassword))).status, 'signed_in');
  });

  test('a provider comes back, and asks the owner of a known address to sign in and link', async () => {
    const at = async (email: string) => {
      const page = await opened();
      await settled(page, 'signed-out');
      await leaving(page, `auth.signInWithProvider('dev')`);
      await page.fill('input[name=email]', email);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${app.origin}/`);
      return page;
    };
    const page = await at(newEmail());
    await settled(page, 'signed-in');
    assert.equal(new URL(page.url()).search, '');
    const { email, session } = await prove(latchkey, await register(latchkey));
    const owner = await at(email);
    await settled(owner, 'signed-out');
    const { status, linkToken } = await inPage(owner, 'auth.step');
    assert.equal(status, 'link');
    await inPage(owner, withPassword(email));
    await inPage(owner, `auth.linkIdentity('${linkToken}')`);
    assert.ok((await eventsOf(latchkey, session.userId)).some((type) => /identity.*linked|linked/.test(type)));
  });

  test('a passkey of this page, made and used', async () => {
    const person = await register(latchkey);
    const page = await signedIn(person.email);
    await addAuthenticator(page);
    const { body } = await me(page, 'security/passkeys/options', {});
    const response = await inPage(page, `sdk.createPasskey(${json(body.options)})`);
    const added = await me(page, 'security/passkeys', { flowId: body.flowId, response });
    assert.equal(added.status, 201, json(added));
    await inPage(page, 'auth.signOut()');
    assert.equal((await inPage(page, 'auth.signInWithPasskey()')).status, 'signed_in');
    assert.equal((await inPage(page, 'auth.state')).user.sub, person.session.userId);
  });

  test('a proof of work, where the project requires one', async () => {
    const { email } = await register(latchkey);
    await changeSettings(latchkey, { proofOfWork: 'required' });
    const page = await opened();
    assert.equal((await inPage(page, withPassword(email))).status, 'signed_in');
  });

  test('the connection of a company is found by its domain only', async () => {
    const page = await opened();
    assert.equal(await page.evaluate(`auth.findConnection('${newEmail()}')`), null);
  });
});

describe('another proof', () => {
  test('is asked for by the API after ten minutes, and a password is one', async () => {
    const { email } = await register(latchkey);
    const page = await signedIn(email);
    await latchkey.system.pool.query(
      `update sessions set auth_time = auth_time - interval '1 hour' where user_id = $1`,
      [(await inPage(page, 'auth.state')).user.sub],
    );
    const refused = await me(page, 'profile/email', { email: newEmail() });
    assert.deepEqual([refused.failed, refused.stepUp], ['step_up_required', {}], json(refused));
    const wrong = await inPage(page, `auth.reauthenticate({ password: 'wrong' })`);
    assert.equal(wrong.errorCode, 'INVALID_CREDENTIALS');
    await inPage(page, `auth.reauthenticate({ password: '${PASSWORD}' })`);
    assert.equal((await me(page, 'profile/email', { email: newEmail() })).status, 202);
  });
});

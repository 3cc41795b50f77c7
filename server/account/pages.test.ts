import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listIdentities } from '#linked-identities';
import { listPasskeys } from '#passkeys';
import type { UserId } from '#platform/ids.ts';
import { faultsInBothThemes, faultsOf, overflowOf } from '#tests/accessibility.ts';
import { addAuthenticator, openBrowser } from '#tests/browser.ts';
import { expectShown } from '#tests/console-app.ts';
import { codesOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventually,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { actAs, addSupportDesk, newSupporter } from '#tests/impersonation.ts';
import type { Application } from '#tests/token-exchange.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let browser: Browser;
let account: string;
let desk: Application;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
  account = `${latchkey.system.config.addresses.test.auth}/account`;
  await changeSettings(latchkey, { mfaFactors: ['totp', 'phone', 'passkey'] });
  desk = await addSupportDesk(latchkey);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

/** A user whose browser shows their account. `token` is of another session, which a change of credentials ends. */
async function signedIn(options: BrowserContextOptions) {
  const person = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(account);
  await page.fill('input[name=identifier]', person.email);
  await page.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(account);
  const userId: UserId = person.session.userId;
  return { page, email: person.email, token: String(person.access_token), userId };
}

/** Lets somebody act as a user, for a reason that is one long word. */
async function actedAs(email: string): Promise<void> {
  const supporter = await newSupporter(latchkey, { displayName: 'Grace Hopper' });
  await actAs(latchkey, desk, { supporter, person: { email }, reason: 'Ticket4711'.repeat(20) });
}

/** The folder for screenshots; without it none are taken. */
const SHOTS = process.env['LATCHKEY_SCREENSHOTS'];
async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `account-${name}.png`), fullPage: true });
}

async function shots(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one page, one theme after the other
    await page.emulateMedia({ colorScheme });
    await shot(page, `${colorScheme}-${name}`);
  }
}

const PATHS = [
  '',
  '/security',
  '/sessions',
  '/memberships',
  '/email',
  '/password',
  '/authenticator',
  '/passkeys/new',
  '/data',
  '/data/erase',
];

test('every page passes axe-core in both themes, and keeps to the width of a phone', async () => {
  const { page, email } = await signedIn({ viewport: { width: 390, height: 800 } });
  await actedAs(email);
  for (const path of [
    ...PATHS,
    '/remove/acting',
    '/remove/others',
    '/remove/session/none',
    '/phone-factor',
    '/recovery-codes/new',
    '/email/confirm',
  ]) {
    // biome-ignore lint/performance/noAwaitInLoops: one page after the other
    await page.goto(account + path);
    assert.deepEqual(await faultsInBothThemes(page), [], path);
    await shots(page, `390${path.replaceAll('/', '-')}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const path of PATHS) {
    // biome-ignore lint/performance/noAwaitInLoops: one page after the other
    await page.goto(account + path);
    assert.equal(await overflowOf(page), 0, path);
    await shots(page, `1280${path.replaceAll('/', '-')}`);
  }
  await page.context().close();
});

describe('in other languages', () => {
  for (const locale of ['de', 'fr', 'ja'])
    test(`${locale}: the pages keep to the width of a phone`, async () => {
      const { page, email } = await signedIn({ locale, viewport: { width: 360, height: 800 } });
      await actedAs(email);
      await eventually(async () => assert.equal(await page.locator('html').getAttribute('lang'), locale));
      for (const path of PATHS) {
        // biome-ignore lint/performance/noAwaitInLoops: one page after the other
        await page.goto(account + path);
        assert.equal(await overflowOf(page), 0, path);
        await shot(page, `${locale}-360${path.replaceAll('/', '-')}`);
      }
      await page.context().close();
    });
});

describe('a passkey', () => {
  test('is created by the page, renamed, made a second factor, used to sign in, and removed', async () => {
    const { page, userId } = await signedIn({});
    await addAuthenticator(page);
    await page.goto(`${account}/security`);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name, for example your device').fill('My laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL(`${account}/security`);
    await page.getByText('My laptop', { exact: true }).first().waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await shot(page, 'with-a-passkey');
    await page.getByRole('link', { name: 'Change My laptop' }).click();
    await page.getByLabel('Name, for example your device').fill('Work laptop');
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`${account}/recovery-codes`);
    const passkeys = await latchkey.inProject((tx) => listPasskeys(tx, userId));
    assert.deepEqual(
      passkeys.map(({ name, secondFactor }) => [name, secondFactor]),
      [['Work laptop', true]],
    );
    const codes = await page.locator('.codes code').allTextContents();
    const file = (await page.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? '';
    assert.equal(codes.length, 10);
    assert.ok(codes.every((code) => decodeURIComponent(file).includes(code)));
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    await page.getByRole('button', { name: 'Print' }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    // The name field offers the passkey, and this authenticator takes the first offer.
    await page.waitForURL(account);
    await page.goto(`${account}/security`);
    await page.getByRole('link', { name: 'Remove Work laptop' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('You have no passkeys yet').waitFor();
    await page.context().close();
  });

  test('that the browser does not create is reported, and nothing is added', async () => {
    const { page, token } = await signedIn({});
    await page.goto(`${account}/passkeys/new`);
    await page.evaluate(() => {
      const { navigator, Promise: promises } = Object(globalThis);
      navigator.credentials.create = () => promises.reject(new Error('the person said no'));
    });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey could not be created').waitFor();
    assert.deepEqual((await latchkey.api('/v1/me/security', { token })).body.passkeys, []);
    await page.context().close();
  });
});

describe('without JavaScript', () => {
  test('everything but a new passkey works', async () => {
    const { page } = await signedIn({ javaScriptEnabled: false });
    await page.goto(`${account}/authenticator`);
    const secret = (await page.locator('code').textContent()) ?? '';
    await page.fill('input[name=code]', codesOf(secret, clock)());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${account}/recovery-codes`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('On. You are asked for a second step').waitFor();
    await page.goto(`${account}/passkeys/new`);
    await expectShown(page.getByText('Passkeys need JavaScript'));
    await page.context().close();
  });
});

describe('linked accounts', () => {
  test('an account at a provider is linked by signing in there, and unlinked', async () => {
    const { page, token, userId } = await signedIn({});
    const linked = () => latchkey.inProject((tx) => listIdentities(tx, userId));
    await page.goto(`${account}/security`);
    await page.getByRole('button', { name: /^Link / }).click();
    const there = newEmail();
    await page.getByLabel('Email address').fill(there);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${account}/linked`);
    await page.getByText(there).waitFor();
    assert.deepEqual((await latchkey.api('/v1/me/linked-identities', { token })).body.items, []);
    await page.getByRole('button', { name: /^Link / }).click();
    await page.waitForURL(`${account}/security`);
    await page.getByText('Your change has been saved').waitFor();
    assert.deepEqual(
      (await linked()).map(({ provider }) => provider),
      ['dev'],
    );
    assert.equal((await latchkey.api('/v1/me/linked-identities', { token })).status, 401, 'the other session');
    await page.getByRole('link', { name: /^Unlink / }).click();
    await page.getByRole('button', { name: 'Unlink' }).click();
    await page.waitForURL(`${account}/security`);
    assert.deepEqual(await linked(), []);
    await page.context().close();
  });

  test('a code of another user’s linking links nothing', async () => {
    const { page, token } = await signedIn({});
    await page.goto(`${account}/linked?code=lkx_abcdefgh_0123456789012345678901234567890123456789012`);
    await page.getByRole('alert').waitFor();
    assert.deepEqual((await latchkey.api('/v1/me/linked-identities', { token })).body.items, []);
    await page.context().close();
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { faultsInBothThemes } from '#tests/accessibility.ts';
import { visitorOf } from '#tests/account.ts';
import { addAuthenticator, openBrowser } from '#tests/browser.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let chromium: Browser;
before(async () => {
  [latchkey, chromium] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await chromium.close();
  await latchkey.stop();
});

const account = () => `${latchkey.system.config.addresses.test.auth}/account`;

/** A tab of a device that can make passkeys. */
async function deviceTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await addAuthenticator(page);
  return page;
}

async function signIn(page: Page, { email }: { email: string }): Promise<void> {
  await page.goto(account());
  await page.waitForFunction(`document.cookie.includes('latchkey-makes-passkeys')`);
  await page.fill('input[name=identifier]', email);
  await page.fill('input[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
}

describe('a passkey', () => {
  test('is offered after a sign-in with a password, and is then the way in, called after the browser', async () => {
    const context = await chromium.newContext({ viewport: { width: 390, height: 800 } });
    const page = await deviceTab(context);
    const person = await register(latchkey);
    await signIn(page, person);
    await page.waitForURL('**/passkey-offer');
    assert.deepEqual(await faultsInBothThemes(page), []);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.waitForURL(account());
    await page.goto(`${account()}/security`);
    await page.getByText('Chrome on Linux').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(account());
    // The name field offers it, and this authenticator takes the first offer.
    await page.waitForURL(account());
    await context.close();
  });

  test('is offered once where somebody declines it, and never without a device that can make one', async () => {
    const context = await chromium.newContext();
    const page = await deviceTab(context);
    const person = await register(latchkey);
    await signIn(page, person);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.waitForURL(account());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, person);
    await page.waitForURL(account());
    await context.close();
    const { page: plain } = await visitorOf(latchkey, '');
    assert.match(plain.url, /\/account$/, 'without JavaScript');
  });

  test('is offered only to somebody who has just signed in', async () => {
    const browser = browserOf(latchkey);
    const { url } = await browser.open((await codeFlow(latchkey)).url);
    assert.equal((await browser.open(`${url}/passkey-offer`)).url, url);
    const options = await browser.open(`${url}/passkey-offer/options`);
    assert.equal(options.status, 401);
    assert.ok(!options.text.includes('challenge"'), options.text);
  });
});

import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createApplication } from '#applications';
import { openBrowser } from '#tests/browser.ts';
import { changeSettings, PASSWORD, register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { codeFlow } from '#tests/oidc.ts';
import {
  expectNoOtherPictures,
  expectOtherPicture,
  expectPicture,
  expectTranscript,
  tabForPictures,
} from '#tests/pictures.ts';

const clock = new TestClock(Date.UTC(2026, 2, 2, 9, 30));
let latchkey: TestLatchkey;
let browser: Browser;
let page: Page;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
  page = await tabForPictures(browser);
  await changeSettings(latchkey, { signInLayout: 'identifier_first' });
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrente '.repeat(2).trim();

async function openSignIn(parameters: Record<string, string> = {}, options = {}): Promise<void> {
  await page.goto((await codeFlow(latchkey, parameters, options)).url);
}

async function typeName(name: string): Promise<void> {
  await page.fill('input[name=identifier]', name);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/password');
}

describe('the pages of a sign-in look as accepted', () => {
  test('the name, the ways for it, and a fault', async () => {
    await openSignIn();
    await expectPicture(page, 'hosted-name');
    await expectTranscript(page, 'hosted-name');
    await page.evaluate(`document.querySelector('h1').textContent = 'Sign up'`);
    await expectOtherPicture(page, 'hosted-name');
    await page.reload();
    await typeName('ada.lovelace@example.com');
    await expectPicture(page, 'hosted-ways');
    await expectTranscript(page, 'hosted-ways');
    await page.fill('input[name=password]', 'wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expectPicture(page, 'hosted-fault');
    await expectTranscript(page, 'hosted-fault');
  });

  test('everything on one page, with the other ways open', async () => {
    await changeSettings(latchkey, { signInLayout: 'combined' });
    await openSignIn();
    await page.getByText('Other ways to sign in').click();
    await expectPicture(page, 'hosted-combined');
    await changeSettings(latchkey, { signInLayout: 'identifier_first' });
  });

  test('registration, a forgotten password, and a code that was sent', async () => {
    await openSignIn();
    const base = page.url();
    await page.goto(`${base}/register`);
    await expectPicture(page, 'hosted-register');
    await page.goto(`${base}/forgot`);
    await expectPicture(page, 'hosted-forgot');
    await page.goto(base);
    await typeName('ada.lovelace@example.com');
    await page.getByRole('button', { name: 'Email me a code' }).click();
    await page.waitForURL('**/code');
    await expectPicture(page, 'hosted-code');
  });

  test('long names, in German', async () => {
    const { clientId } = await latchkey.inProject((tx) =>
      createApplication(tx, {
        kind: 'spa',
        name: LONG.slice(0, 100),
        redirectUris: ['http://localhost:5173/callback'],
      }),
    );
    await openSignIn({ ui_locales: 'de' }, { clientId });
    await typeName(`${'ada.lovelace.'.repeat(8)}x@example.com`);
    await expectPicture(page, 'hosted-long');
  });

  test('the consent to an application of somebody else', async () => {
    const redirectUris = ['http://localhost:5173/callback'];
    const { clientId } = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'spa', name: 'Parcel tracker', redirectUris, firstParty: false }),
    );
    await register(latchkey, { email: 'ada.lovelace@example.com', profile: { displayName: 'Ada Lovelace' } });
    await openSignIn({ scope: 'openid profile email phone offline_access', prompt: 'consent' }, { clientId });
    await typeName('ada.lovelace@example.com');
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Allow access?').waitFor();
    await expectPicture(page, 'hosted-consent');
    await expectTranscript(page, 'hosted-consent');
  });

  test('a wrong redirect address', async () => {
    await openSignIn({ redirect_uri: 'http://localhost:5174/callback' });
    await expectPicture(page, 'hosted-error', { mask: ['.hint:last-of-type'] });
  });

  test('and there are pictures of no other page', async () => {
    await expectNoOtherPictures('hosted');
  });
});

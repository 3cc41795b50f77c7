import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { faultsInBothThemes } from '#tests/accessibility.ts';
import { openBrowser } from '#tests/browser.ts';
import { totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventually,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { codeFlow } from '#tests/oidc.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey({ clock }), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

describe('the hosted pages, in both themes', () => {
  test('every page of a sign-in passes axe-core, keeps to the width of a phone, and can be used by keyboard', async () => {
    const person = await register(latchkey);
    await totpOf(latchkey, person, clock);
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const flow = await codeFlow(latchkey);
    await page.goto(flow.url);
    const base = page.url();
    const check = async (what: string) => assert.deepEqual(await faultsInBothThemes(page), [], what);
    await check('sign-in');
    for (const path of ['/register', '/forgot']) {
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      await page.goto(base + path);
      await check(path);
    }
    await page.goto(base);
    // The first field has the focus; Enter sends the form.
    await page.locator('input[name=identifier]:focus').waitFor();
    await page.keyboard.type(person.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(`${PASSWORD}x`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await check('a fault');
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/mfa');
    await check('a second factor');
    await page.close();
  });

  test('what was typed as the name is offered as the address', async () => {
    const page = await browser.newPage();
    await page.goto((await codeFlow(latchkey)).url);
    await page.fill('input[name=identifier]', 'ada@example.com');
    await page.getByText('Sign in by email').click();
    const address = page.getByLabel('Email address');
    await eventually(async () => assert.equal(await address.inputValue(), 'ada@example.com'));
    assert.deepEqual(await faultsInBothThemes(page), []);
    await page.close();
  });

  test('a passkey that the browser did not use is explained, and the other ways remain', async () => {
    await changeSettings(latchkey, { signInMethods: ['password', 'passkey'] });
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
    });
    await page.goto((await codeFlow(latchkey)).url);
    const passkey = page.locator('form[data-passkey]');
    await passkey.getByRole('button').click();
    await passkey.getByRole('alert').getByText('The passkey was not used').waitFor();
    assert.equal(await passkey.getByRole('button').isEnabled(), true);
    assert.deepEqual(await faultsInBothThemes(page), []);
    await page.close();
  });

  test('a brand of any colour passes too', async () => {
    await changeSettings(latchkey, {
      branding: {
        logoUrl: null,
        accentColor: '#ffe600',
        backgroundColor: '#fff7d6',
        radius: 0,
        text: 'By the shop.',
        links: { Terms: 'https://example.com/terms' },
      },
    });
    const page = await browser.newPage();
    await page.goto((await codeFlow(latchkey)).url);
    assert.deepEqual(await faultsInBothThemes(page), []);
    await page.close();
  });
});

describe('a project that asks for a proof of work', () => {
  test('the page solves the challenge by itself; without JavaScript it says what it needs', async () => {
    await changeSettings(latchkey, { proofOfWork: 'required' });
    const person = { email: 'nobody@example.com' };
    const page = await browser.newPage();
    await page.goto((await codeFlow(latchkey)).url);
    await page.fill('input[name=identifier]', person.email);
    await page.fill('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await eventually(async () =>
      assert.match((await page.getByRole('alert').textContent()) ?? '', /Wrong address or password/),
    );
    await page.close();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const bare = await plain.newPage();
    await bare.goto((await codeFlow(latchkey)).url);
    await eventually(async () =>
      assert.match((await bare.locator('.no-script').first().textContent()) ?? '', /needs JavaScript/),
    );
    await plain.close();
  });
});

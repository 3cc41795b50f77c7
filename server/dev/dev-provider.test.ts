import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createApplication } from '#applications';
import { openBrowser } from '#tests/browser.ts';
import { newEmail, PKCE, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { startApplicationServer } from '#tests/oidc.ts';
import { startProductionConsole } from '#tests/production.ts';

/** The folder for screenshots; without it none are taken. */
const SHOTS = process.env['LATCHKEY_SCREENSHOTS'];

let latchkey: TestLatchkey;
let browser: Browser;
let application: Awaited<ReturnType<typeof startApplicationServer>>;
let start: string;
before(async () => {
  [latchkey, browser, application] = await Promise.all([startTestLatchkey(), openBrowser(), startApplicationServer()]);
  const redirectUri = `${application.origin}/callback`;
  const { clientId } = await latchkey.inProject((tx) =>
    createApplication(tx, { kind: 'spa', name: 'Shop', redirectUris: [redirectUri] }),
  );
  const query = new URLSearchParams({ clientId, redirectUri, state: 'mine', codeChallenge: PKCE.codeChallenge });
  start = `${latchkey.system.config.addresses.test.auth}/v1/auth/login/social/dev/start?${query}`;
});
after(async () => {
  await browser.close();
  application.stop();
  await latchkey.stop();
});

const exchange = (code: string | null) =>
  latchkey.auth('/v1/auth/login/social/exchange', { body: { code, codeVerifier: PKCE.codeVerifier } });

describe('the development provider, in a browser', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280])
      test(`is clicked through, ${colorScheme} at ${width}`, async () => {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 844 } });
        const faults: string[] = [];
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
        await page.goto(start);
        const email = newEmail();
        await page.getByLabel('Email address').fill(email);
        await page.getByLabel('Name').fill('Grace Hopper');
        const wide = await page.evaluate(() => Object(globalThis).document.documentElement.scrollWidth);
        assert.equal(wide, width, 'nothing is cut off or scrolls sideways');
        if (SHOTS !== undefined) {
          await mkdir(SHOTS, { recursive: true });
          await page.screenshot({ path: join(SHOTS, `dev-provider-${colorScheme}-${width}.png`) });
        }
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.waitForURL(`${application.origin}/**`);
        const { searchParams } = new URL(page.url());
        assert.equal(searchParams.get('state'), 'mine');
        const { body } = await exchange(searchParams.get('code'));
        const profile = await latchkey.api('/v1/me/profile', { token: body.access_token });
        assert.deepEqual([profile.body.email, profile.body.displayName], [email, 'Grace Hopper']);
        assert.deepEqual(
          faults.filter((text) => !text.includes('favicon')),
          [],
        );
        await page.close();
      });

  test('asks again the next time; an unverified address is not accepted, and Cancel says so', async () => {
    const page = await browser.newPage();
    await page.goto(start);
    await page.getByLabel('Email address').fill(newEmail());
    await page.getByLabel('The provider has verified').uncheck();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${application.origin}/**`);
    const { body } = await exchange(new URL(page.url()).searchParams.get('code'));
    assert.equal((await latchkey.api('/v1/me/profile', { token: body.access_token })).body.email, null);
    await page.goto(start);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${application.origin}/**`);
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
    await page.close();
  });
});

test('in production mode there is no development provider', async (t) => {
  const { get, stop } = await startProductionConsole(latchkey);
  t.after(stop);
  assert.equal(await get('/dev/provider/.well-known/openid-configuration'), 404);
  assert.equal(await get('/dev/provider/sign-in/x'), 404);
});

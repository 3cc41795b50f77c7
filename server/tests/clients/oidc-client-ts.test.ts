import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createApplication } from '#applications';
import { rotateKeysNow } from '#keys';
import { openBrowser } from '#tests/browser.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { startApplicationServer } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let issuer: string;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'rotates the keys of the installation' });
  issuer = latchkey.system.config.addresses.test.auth;
});
after(() => latchkey.stop());

describe('oidc-client-ts in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  test('signs in, calls user info, renews, also after a rotation of the keys, and signs out', async () => {
    const library = new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts'));
    const application = await startApplicationServer({ '/oidc-client-ts.js': await readFile(library, 'utf8') });
    const { origin } = application;
    const { clientId } = await latchkey.inProject((tx) =>
      createApplication(tx, {
        kind: 'spa',
        name: 'Single page',
        redirectUris: [`${origin}/callback`],
        postLogoutRedirectUris: [`${origin}/bye`],
        origins: [origin],
      }),
    );
    const person = await register(latchkey);
    const page = await browser.newPage();
    const settings = {
      authority: issuer,
      client_id: clientId,
      redirect_uri: `${origin}/callback`,
      post_logout_redirect_uri: `${origin}/bye`,
      scope: 'openid profile email',
      loadUserInfo: true,
    };
    await page.goto(origin);
    await inPage(page, settings, 'signinRedirect');
    await page.waitForURL(`${issuer}/sign-in/**`);
    await page.fill('input[name=identifier]', person.email);
    await page.fill('input[name=password]', PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${origin}/callback**`);
    const user = Object(await inPage(page, settings, 'signinRedirectCallback'));
    assert.deepEqual([user.profile.sub, user.profile.email], [person.session.userId, person.email]);
    const renewed = Object(await inPage(page, settings, 'signinSilent'));
    assert.notEqual(renewed.access_token, user.access_token);
    await rotateKeysNow(latchkey.system, 'test', []);
    const again = Object(await inPage(page, settings, 'signinSilent'));
    assert.notEqual(again.access_token, renewed.access_token);
    assert.equal(again.profile.sub, person.session.userId);
    await inPage(page, settings, 'signoutRedirect');
    await page.waitForURL(`${origin}/bye**`);
    application.stop();
  });
});

/** Calls a method of a UserManager in the page. Methods that leave the page return nothing. */
async function inPage(page: Page, settings: object, method: string): Promise<unknown> {
  await page.addScriptTag({ url: '/oidc-client-ts.js' });
  const call = page.evaluate(
    async ([options, name]) => {
      const { oidc } = Object(globalThis);
      const user = await new oidc.UserManager(options)[String(name)]();
      return user ? { profile: user.profile, access_token: user.access_token } : null;
    },
    [settings, method],
  );
  return call.catch((error: unknown) => {
    // The page was left during the call.
    if (method.endsWith('Redirect')) return null;
    throw error;
  });
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createApplication } from '#applications';
import { openBrowser } from '#tests/browser.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, startApplicationServer } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let issuer: string;
before(async () => {
  latchkey = await startTestLatchkey();
  issuer = latchkey.system.config.addresses.test.auth;
});
after(() => latchkey.stop());

describe('oidc-client-ts in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  test('signs in, calls user info, renews with the refresh token and signs out', async () => {
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

/** Imported by name at run time: its types include those of browsers, which the server's compilation must not see. */
const AUTH_JS = ['@auth', 'core'].join('/');

describe('Auth.js', () => {
  test('signs in with nothing but the issuer, client id and secret', async () => {
    const { Auth } = await import(AUTH_JS);
    const origin = 'http://localhost:5199';
    const { clientId, secret } = await latchkey.inProject((tx) =>
      createApplication(tx, {
        kind: 'web',
        name: 'Next',
        redirectUris: [`${origin}/auth/callback/latchkey`],
        // By default Auth.js reads the ID token only.
        idTokenClaims: 'scopes',
      }),
    );
    const jar = new Map<string, string>();
    const call = async (path: string, body?: URLSearchParams): Promise<Response> => {
      const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
      const request = new Request(`${origin}${path}`, { headers, ...(body && { method: 'POST', body }) });
      const response = await Auth(request, {
        secret: 'a secret of the tests',
        trustHost: true,
        basePath: '/auth',
        providers: [{ id: 'latchkey', name: 'Latchkey', type: 'oidc', issuer, clientId, clientSecret: secret ?? '' }],
        logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      return response;
    };
    const { csrfToken } = Object(await (await call('/auth/csrf')).json());
    const left = await call('/auth/signin/latchkey', new URLSearchParams({ csrfToken, callbackUrl: `${origin}/` }));
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const browser = browserOf(latchkey);
    const page = await browser.open(left.headers.get('location') ?? '');
    const back = await browser.submit(page, { identifier: person.email, password: PASSWORD });
    const finished = await call(back.url.slice(origin.length));
    assert.equal(finished.headers.get('location'), `${origin}/`);
    const { user } = Object(await (await call('/auth/session')).json());
    assert.deepEqual([user.name, user.email], ['Ada', person.email]);
  });
});

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, EmbeddedJWK, jwtVerify } from 'jose';
import type { Browser } from 'playwright-core';
import { admin, grantOf, newApi } from '../../../server/tests/apis.ts';
import { openBrowser } from '../../../server/tests/browser.ts';
import { ownerToken, register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { bundle, inPage, leaving, prove, settled, signedIn, startApp } from './app.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let sdk: string;
let issuer: string;
before(async () => {
  latchkey = await startTestLatchkey();
  issuer = latchkey.system.config.addresses.test.auth;
  browser = await openBrowser();
  sdk = await bundle();
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const tokenOf = ({ headers: { authorization = '' } }: IncomingMessage) => authorization.split(' ')[1] ?? '';

describe('tokens that are bound to a key', () => {
  /** Demands a nonce, and checks the proof of the key that the token names. */
  async function bound(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { payload, protectedHeader } = await jwtVerify(String(request.headers['dpop']), EmbeddedJWK, {
      typ: 'dpop+jwt',
    });
    if (payload['nonce'] !== 'fresh') {
      response.writeHead(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'fresh' }).end();
      return;
    }
    const known = {
      scheme: request.headers.authorization?.split(' ')[0],
      htm: payload['htm'],
      htu: payload['htu'],
      ath: payload['ath'] === hash('sha256', tokenOf(request), 'base64url'),
      key: Object.keys(protectedHeader.jwk ?? {}).sort(),
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(known));
  }

  test('are sent with proofs, survive a reload, and are useless elsewhere', async (t) => {
    const api = (...args: Parameters<typeof bound>) => {
      bound(...args).catch((error: unknown) => args[1].writeHead(500).end(String(error)));
    };
    const app = await startApp(latchkey, { sdk, api, dpop: true, persistence: 'tab', apiOrigins: [issuer] });
    t.after(app.stop);
    const context = await browser.newContext();
    await context.clock.install({ time: Date.now() - 3_600_000 });
    const page = await signedIn(context, app, await register(latchkey));
    const sent = await inPage(
      page,
      `auth.fetch('/api/orders?page=2', { method: 'POST', body: 'text' }).then((r) => r.json())`,
    );
    assert.deepEqual(sent, {
      scheme: 'DPoP',
      htm: 'POST',
      htu: `${app.origin}/api/orders`,
      ath: true,
      key: ['crv', 'kty', 'x', 'y'],
    });
    const token = String(await page.evaluate('auth.token()'));
    assert.equal((await latchkey.auth('/connect/userinfo', { token })).status, 401);
    await page.reload();
    await settled(page, 'signed-in');
    await context.clock.fastForward(20 * 60_000);
    assert.notEqual(await page.evaluate('auth.token()'), token);
    const userinfo = await inPage(page, `auth.fetch('${issuer}/connect/userinfo').then((r) => r.status)`);
    assert.equal(Number(userinfo), 200);
    const stored = JSON.parse(String(await page.evaluate(`sessionStorage.getItem('latchkey ${app.clientId}')`)));
    const stolen = await latchkey.auth('/connect/token', {
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: stored.refreshToken,
        client_id: app.clientId,
      }),
    });
    assert.equal(stolen.status, 400);
    const key = await page.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open('latchkey', 1);
      opening.onsuccess = () => {
        const request = opening.result.transaction('keys').objectStore('keys').getAll();
        request.onsuccess = () => resolve(request.result.map(({ privateKey }) => privateKey.extractable));
      };
    })`);
    assert.deepEqual(key, [false]);
  });
});

describe('calls of an API', () => {
  test('send no token to other origins, and renew one that is refused', async (t) => {
    const refused: string[] = [];
    const app = await startApp(latchkey, {
      sdk,
      api: (request, response) => {
        const token = tokenOf(request);
        if (refused.length === 0) refused.push(token);
        response.writeHead(refused.includes(token) ? 401 : 200).end();
      },
    });
    t.after(app.stop);
    const page = await signedIn(await browser.newContext(), app, await register(latchkey));
    assert.equal(Number(await inPage(page, `auth.fetch('/api').then((r) => r.status)`)), 200);
    assert.match((await inPage(page, `auth.fetch('https://evil.example/')`)).message, /apiOrigins/);
    assert.notEqual(await page.evaluate('auth.token()'), refused[0]);
  });

  test('have tokens for the APIs that the settings name', async (t) => {
    const [orders, stock] = [await newApi(latchkey), await newApi(latchkey, { identifier: 'https://stock.example' })];
    const resource = [orders.identifier, stock.identifier];
    const application = { apis: [grantOf(orders), grantOf(stock)] };
    const app = await startApp(latchkey, { sdk, application, resource });
    t.after(app.stop);
    const person = await register(latchkey);
    const page = await signedIn(await browser.newContext(), app, person);
    assert.equal((await inPage(page, 'auth.state')).user.email, person.email);
    assert.equal(decodeJwt(String(await page.evaluate('auth.token()'))).aud, orders.identifier);
    const other = await page.evaluate(`auth.token({ resource: '${stock.identifier}' })`);
    assert.equal(decodeJwt(String(other)).aud, stock.identifier);
  });
});

describe('another proof', () => {
  test('is asked for where an API demands it; a refusal or another person does not end the session', async (t) => {
    let before: string | null = null;
    const app = await startApp(latchkey, {
      sdk,
      api: (request, response) => {
        before ??= tokenOf(request);
        const challenge = 'Bearer error="insufficient_user_authentication", max_age="0"';
        if (request.url === '/api/latchkey')
          response.writeHead(401).end('{ "errorCode": "REAUTHENTICATION_REQUIRED", "acr": "aal2" }');
        else if (request.url === '/api/account')
          response.writeHead(401).end('{ "errorCode": "REAUTHENTICATION_REQUIRED", "ownProof": true }');
        else if (tokenOf(request) === before) response.writeHead(401, { 'www-authenticate': challenge }).end();
        else response.end('paid');
      },
    });
    t.after(app.stop);
    const person = await register(latchkey);
    const page = await signedIn(await browser.newContext(), app, person);
    const { failed, stepUp } = await inPage(page, `auth.fetch('/api/payout')`);
    assert.deepEqual([failed, stepUp], ['step_up_required', { maxAge: 0 }]);
    await leaving(page, 'auth.stepUp({ maxAge: 0 })');
    await page.waitForURL('**/sign-in/**');
    await prove(page, person);
    await settled(page, 'signed-in');
    assert.equal(String(await page.evaluate(`auth.fetch('/api/payout').then((r) => r.text())`)), 'paid');
    const stronger = await inPage(page, `auth.fetch('/api/latchkey')`);
    assert.deepEqual(stronger.stepUp, { maxAge: 0, acr: 'aal2' });
    const own = await inPage(page, `auth.fetch('/api/account')`);
    assert.deepEqual(own.stepUp, { maxAge: 0, ownProof: true });
    const asked = page.waitForRequest(/\/connect\/authorize\?.*own_proof=true/);
    await leaving(page, 'auth.stepUp({ maxAge: 0, ownProof: true })');
    await asked;
    await page.waitForURL('**/sign-in/**');
    await prove(page, person);
    await settled(page, 'signed-in');
    await leaving(page, `auth.stepUp({ acr: 'aal2' })`);
    await page.waitForURL(`${app.origin}/`);
    await settled(page, 'signed-in');
    const failure = Object(await page.evaluate('globalThis.failure'));
    assert.deepEqual([failure.failed, failure.oauthError], ['sign_in_failed', 'unmet_authentication_requirements']);
    assert.equal((await inPage(page, 'auth.state')).user.email, person.email);
  });

  test('is not taken from another person', async (t) => {
    const app = await startApp(latchkey, { sdk, persistence: 'tab' });
    t.after(app.stop);
    const person = await register(latchkey);
    const page = await signedIn(await browser.newContext(), app, person);
    await leaving(page, 'auth.stepUp({ maxAge: 0 })');
    await page.waitForURL('**/sign-in/**');
    await prove(page, await register(latchkey));
    await settled(page, 'signed-in');
    assert.equal(Object(await page.evaluate('globalThis.failure')).failed, 'sign_in_failed');
    assert.equal((await inPage(page, 'auth.state')).user.email, person.email);
  });
});

describe('organizations', () => {
  for (const kind of ['userinfo', 'an API'])
    test(`are switched in all tabs, with tokens for ${kind}; others are refused`, async (t) => {
      const api = await newApi(latchkey);
      const settings = { resource: api.identifier, application: { apis: [grantOf(api)] } };
      const app = await startApp(latchkey, { sdk, ...(kind === 'an API' && settings) });
      t.after(app.stop);
      const token = await ownerToken(latchkey);
      const person = await register(latchkey);
      const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(person.email)}`, { token });
      const newOrganization = async (name: string, isMember = true): Promise<string> => {
        const { id } = await admin(latchkey, 'organizations', { body: { name } });
        if (isMember)
          await admin(latchkey, `organizations/${id}/members`, { body: { memberId: body.items[0].id, roles: [] } });
        return id;
      };
      const [first, second, foreign] = [
        await newOrganization('One'),
        await newOrganization('Two'),
        await newOrganization('Three', false),
      ];
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(app.origin);
      await settled(page, 'signed-out');
      await leaving(page, `auth.signIn({ organization: '${first}' })`);
      await prove(page, person);
      await settled(page, 'signed-in');
      const tab = await context.newPage();
      await tab.goto(app.origin);
      await settled(tab, 'signed-in');
      const organizations = () =>
        Promise.all(
          [page, tab].map(async (one) => {
            const { user, organization } = await inPage(one, 'auth.state');
            return [organization, user.org_id];
          }),
        );
      assert.deepEqual(await organizations(), [
        [first, first],
        [first, first],
      ]);
      const own = await page.evaluate('auth.token()');
      await page.evaluate(`auth.switchOrganization('${second}')`);
      await tab.waitForFunction(`auth.state.organization === '${second}'`);
      assert.deepEqual(await organizations(), [
        [second, second],
        [second, second],
      ]);
      assert.notEqual(await page.evaluate('auth.token()'), own);
      assert.equal((await inPage(page, `auth.switchOrganization('${foreign}')`)).failed, 'organization_refused');
      await page.evaluate('auth.switchOrganization(null)');
      await tab.waitForFunction(`auth.state.organization === '${first}'`);
      assert.deepEqual(await organizations(), [
        [first, first],
        [first, first],
      ]);
    });
});

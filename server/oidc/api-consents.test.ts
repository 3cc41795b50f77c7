import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import {
  admin,
  authorize,
  grantOf,
  machineToken,
  newApi,
  newApplication,
  READ,
  REDIRECT,
  REFUND,
  tokensFor,
} from '#tests/apis.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { returned } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const scopesIn = (token: string) => String(decodeJwt(token)['scope'] ?? '').split(' ');
const refresh = (configuration: client.Configuration, token = '', parameters: Record<string, string> = {}) =>
  client.refreshTokenGrant(configuration, token, parameters);

describe('the consent page', () => {
  test('lists the scopes of each API in its words, and asks again only for new ones', async () => {
    const api = await newApi(latchkey, { name: '<b>Orders</b>' });
    const application = await newApplication(latchkey, {
      firstParty: false,
      apis: [grantOf(api, 'orders:read', 'orders:refund')],
    });
    const person = await register(latchkey);
    const first = { resource: api.identifier, scope: 'openid orders:read' };
    const { page, flow, browser } = await authorize(latchkey, application, person, { parameters: first });
    assert.match(page.text, /&lt;b&gt;Orders&lt;\/b&gt;/);
    assert.match(page.text, /See your orders/);
    assert.doesNotMatch(page.text, /orders:refund|<b>Orders/);
    await flow.finish(await browser.submit(page, { decision: 'allow' }));
    const again = await authorize(latchkey, application, person, { parameters: first, browser });
    assert.ok(again.page.url.startsWith(REDIRECT), 'nothing new, no question');
    const more = await authorize(latchkey, application, person, {
      parameters: { ...first, scope: 'openid orders:read orders:refund' },
      browser,
    });
    assert.match(more.page.text, /orders:refund/);
    const tokens = await more.flow.finish(await browser.submit(more.page, { decision: 'allow' }));
    assert.deepEqual(scopesIn(tokens.access_token), ['openid', 'orders:read', 'orders:refund']);
  });

  test('after "Not you?" asks the person who then signs in', async () => {
    const [first, second] = [await register(latchkey), await register(latchkey)];
    const application = await newApplication(latchkey, { firstParty: false });
    const { page, flow, browser } = await authorize(latchkey, application, first, { parameters: {} });
    assert.ok(page.text.includes(`You are signed in as ${first.email}`), page.text);
    const form = await browser.submit(page, {}, '/continue');
    const left = await browser.submit(form, { identifier: second.email, password: PASSWORD });
    // The previous person is signed out first: the library posts a form, with a button where there is no JavaScript.
    const asked = left.text.includes('Allow access?') ? left : await browser.submit(left, {});
    assert.ok(asked.text.includes(`You are signed in as ${second.email}`), asked.text);
    const end = await browser.submit(asked, { decision: 'allow' }, '/consent');
    assert.equal((await flow.finish(end)).claims()?.sub, second.session.userId);
  });

  test('a refusal grants nothing', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { firstParty: false, apis: [grantOf(api, 'orders:read')] });
    const asked = { resource: api.identifier, scope: 'openid orders:read' };
    const { page, browser } = await authorize(latchkey, application, await register(latchkey), { parameters: asked });
    const back = await browser.submit(page, { decision: 'deny' });
    assert.equal(returned(back.url)['error'], 'access_denied');
  });

  test('consent covers what the page showed: after a change the page is shown again', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { firstParty: false, apis: [grantOf(api, 'orders:read')] });
    const asked = { resource: api.identifier, scope: 'openid orders:read orders:refund' };
    const { page, flow, browser } = await authorize(latchkey, application, await register(latchkey), {
      parameters: asked,
    });
    assert.doesNotMatch(page.text, /orders:refund/);
    const more = { apis: [grantOf(api, 'orders:read', 'orders:refund')] };
    await admin(latchkey, `applications/${application.id}`, { method: 'PATCH', body: more });
    const shown = await browser.submit(page, { decision: 'allow' });
    assert.match(shown.text, /orders:refund/);
    const tokens = await flow.finish(await browser.submit(shown, { decision: 'allow' }));
    assert.deepEqual(scopesIn(tokens.access_token), ['openid', 'orders:read', 'orders:refund']);
  });

  test('consent ends with its scope: a later scope of the same name needs new consent, and is not refreshed', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { firstParty: false, apis: [grantOf(api, 'orders:read')] });
    const person = await register(latchkey);
    const asked = { resource: api.identifier, scope: 'openid orders:read' };
    const { configuration, tokens, browser } = await tokensFor(latchkey, application, person, { parameters: asked });
    await admin(latchkey, `apis/${api.id}`, { method: 'PATCH', body: { scopes: [REFUND] } });
    await admin(latchkey, `apis/${api.id}`, { method: 'PATCH', body: { scopes: [READ, REFUND] } });
    await admin(latchkey, `applications/${application.id}`, {
      method: 'PATCH',
      body: { apis: [grantOf(api, 'orders:read')] },
    });
    const renewed = await refresh(configuration, tokens.refresh_token);
    assert.deepEqual(scopesIn(renewed.access_token), ['openid']);
    const { page } = await authorize(latchkey, application, person, { parameters: asked, browser });
    assert.match(page.text, /See your orders/);
  });

  test('an export of the person’s data names the scopes', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { firstParty: false, apis: [grantOf(api, 'orders:read')] });
    const person = await register(latchkey);
    await tokensFor(latchkey, application, person, {
      parameters: { resource: api.identifier, scope: 'openid orders:read' },
    });
    const { body } = await latchkey.api('/v1/me/profile/export', { token: person.access_token });
    assert.ok(body.consents[0].scopes.includes(`${api.identifier} orders:read`), JSON.stringify(body.consents));
    const { rows } = await latchkey.system.pool.query(
      `select data->'scopes' as scopes from events where type = 'user.consent.granted' and data->>'userId' = $1`,
      [person.session.userId],
    );
    assert.ok(rows[0]?.scopes.includes(`${api.identifier} orders:read`), JSON.stringify(rows));
  });
});

describe('when a grant ends', () => {
  test('no further token is issued for the API, in any process, nor for a pending code', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(api, 'orders:read')] });
    const person = await register(latchkey);
    const asked = { resource: api.identifier, scope: 'openid orders:read' };
    const { configuration, tokens, browser } = await tokensFor(latchkey, application, person, { parameters: asked });
    const waiting = await authorize(latchkey, application, person, { parameters: asked, browser });
    await admin(latchkey, `applications/${application.id}`, { method: 'PATCH', body: { apis: [grantOf(api)] } });
    const renewed = await refresh(configuration, tokens.refresh_token);
    assert.deepEqual(scopesIn(renewed.access_token), ['openid']);
    await admin(latchkey, `apis/${api.id}`, { method: 'DELETE' });
    await assert.rejects(refresh(configuration, renewed.refresh_token), { error: 'invalid_target' });
    await assert.rejects(waiting.flow.finish(waiting.page), { error: 'invalid_target' });
    await admin(latchkey, 'apis', { body: { identifier: api.identifier, name: 'Orders', scopes: [READ] } });
    const { page } = await authorize(latchkey, application, person, { parameters: asked, browser });
    assert.equal(returned(page.url)['error'], 'invalid_target', 'a new API of the same identifier is not granted');
  });

  test('of many tokens requested while the API is removed, none is issued after the removal', async () => {
    const api = await newApi(latchkey);
    const machine = await newApplication(latchkey, {
      kind: 'management',
      redirectUris: [],
      apis: [{ identifier: api.identifier, machineScopes: ['orders:read'] }],
    });
    const ask = () => machineToken(latchkey, machine, { resource: api.identifier });
    const during = await Promise.all([
      admin(latchkey, `apis/${api.id}`, { method: 'DELETE' }),
      ...Array.from({ length: 10 }, ask),
    ]);
    for (const response of during.slice(1)) assert.ok([200, 400].includes(response.status), response.text);
    const afterwards = await ask();
    assert.deepEqual([afterwards.status, afterwards.body.error], [400, 'invalid_target']);
  });
});

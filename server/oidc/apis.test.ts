import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { admin, authorize, grantOf, newApi, newApplication, READ, REDIRECT, REFUND, tokensFor } from '#tests/apis.ts';
import { expectProblem, PASSWORD, PKCE, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, configurationOf, returned } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const scopesIn = (token: string) => String(decodeJwt(token)['scope'] ?? '').split(' ');
const refresh = (configuration: client.Configuration, token = '', parameters: Record<string, string> = {}) =>
  client.refreshTokenGrant(configuration, token, parameters);

type Person = { session: { userId: string } };

/** Gives a person a role of their own with these permissions. */
async function permit({ session: { userId } }: Person, ...permissions: string[]): Promise<void> {
  const { items } = await admin(latchkey, 'members?limit=100');
  const member = items.find((item: { userId: string }) => item.userId === userId);
  const key = `role-${userId.slice(-6)}-${permissions.length}`;
  await admin(latchkey, 'roles', { body: { key, name: key, permissions } });
  await admin(latchkey, `members/${member.id}/roles`, { method: 'PUT', body: { roles: [key] } });
}

describe('the token for an API', () => {
  test('OA-9 is a JWT for the one API that was authorized, without naming it again', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(api, 'orders:read')] });
    const person = await register(latchkey);
    const asked = { resource: api.identifier, scope: 'openid roles orders:read' };
    const { configuration, tokens } = await tokensFor(latchkey, application, person, { parameters: asked });
    assert.equal(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt');
    const claims = decodeJwt(tokens.access_token);
    assert.deepEqual(
      [claims.aud, claims.sub, claims['roles'], claims['client_id'], claims['project_id']],
      [api.identifier, person.session.userId, [], application.clientId, latchkey.demo.projects[0]?.id],
    );
    assert.deepEqual(scopesIn(tokens.access_token), ['openid', 'roles', 'orders:read']);
    assert.equal(tokens.scope, 'openid roles orders:read');
    const renewed = await refresh(configuration, tokens.refresh_token);
    assert.equal(decodeJwt(renewed.access_token).aud, api.identifier);
    const less = await refresh(configuration, renewed.refresh_token, { scope: 'orders:read' });
    assert.deepEqual(scopesIn(less.access_token), ['orders:read']);
    const keys = new URL(configuration.serverMetadata().jwks_uri ?? '');
    await jwtVerify(tokens.access_token, createRemoteJWKSet(keys), {
      issuer: configuration.serverMetadata().issuer,
      audience: api.identifier,
      typ: 'at+jwt',
    });
    expectProblem(await latchkey.api('/v1/me/context', { token: tokens.access_token }), 403, 'WRONG_TOKEN_KIND');
  });

  test('is for userinfo if the request named no API, or several', async () => {
    const [one, two] = [await newApi(latchkey), await newApi(latchkey)];
    const application = await newApplication(latchkey, { apis: [grantOf(one), grantOf(two)] });
    const person = await register(latchkey);
    const { configuration, tokens } = await tokensFor(latchkey, application, person, {
      parameters: { scope: 'openid email' },
    });
    const info = await client.fetchUserInfo(configuration, tokens.access_token, person.session.userId);
    assert.equal(info.email, person.email);
    const flow = await codeFlow(latchkey, {}, { clientId: application.clientId, secret: application.secret ?? '' });
    const browser = browserOf(latchkey);
    const url = new URL(flow.url);
    for (const { identifier } of [one, two]) url.searchParams.append('resource', identifier);
    const page = await browser.open(url.href);
    const both = await flow.finish(await browser.submit(page, { identifier: person.email, password: PASSWORD }));
    await client.fetchUserInfo(flow.configuration, both.access_token, person.session.userId);
    const second = await refresh(flow.configuration, both.refresh_token, { resource: two.identifier });
    assert.equal(decodeJwt(second.access_token).aud, two.identifier);
  });

  test('is refused for an API that is unknown, not granted, or of another project', async () => {
    const granted = await newApi(latchkey);
    const other = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(granted)] });
    const person = await register(latchkey);
    for (const resource of [other.identifier, 'https://unknown.example', latchkey.system.config.addresses.test.api]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { page } = await authorize(latchkey, application, person, { parameters: { resource } });
      assert.equal(returned(page.url)['error'], 'invalid_target', resource);
    }
    const configuration = await configurationOf(latchkey, { ...application, secret: application.secret ?? '' });
    const pushed = {
      redirect_uri: REDIRECT,
      scope: 'openid',
      resource: other.identifier,
      code_challenge: PKCE.codeChallenge,
      code_challenge_method: 'S256',
    };
    await assert.rejects(client.buildAuthorizationUrlWithPAR(configuration, pushed), { error: 'invalid_target' });
    const { configuration: flow, tokens } = await tokensFor(latchkey, application, person, {
      parameters: { resource: granted.identifier },
    });
    await assert.rejects(refresh(flow, tokens.refresh_token, { resource: other.identifier }), {
      error: 'invalid_target',
    });
  });

  test('has only the scopes that the application was granted and the request asked for', async () => {
    const api = await newApi(latchkey);
    const application = await newApplication(latchkey, { apis: [grantOf(api, 'orders:read')] });
    const scope = 'openid orders:read orders:refund members:write';
    const { tokens } = await tokensFor(latchkey, application, await register(latchkey), {
      parameters: { resource: api.identifier, scope },
    });
    assert.deepEqual(scopesIn(tokens.access_token), ['openid', 'orders:read']);
    const { tokens: none } = await tokensFor(latchkey, application, await register(latchkey), {
      parameters: { resource: api.identifier },
    });
    assert.deepEqual(scopesIn(none.access_token), ['openid']);
  });

  test('has the shorter of the lifetimes of the API and the application', async () => {
    const api = await newApi(latchkey, { accessTokenSeconds: 120 });
    const lifetime = async (more: Record<string, unknown>) => {
      const application = await newApplication(latchkey, { apis: [grantOf(api)], ...more });
      const { tokens } = await tokensFor(latchkey, application, await register(latchkey), {
        parameters: { resource: api.identifier },
      });
      const { exp = 0, iat = 0 } = decodeJwt(tokens.access_token);
      return [exp - iat, tokens.expires_in];
    };
    assert.deepEqual(await lifetime({}), [120, 120]);
    assert.deepEqual(await lifetime({ accessTokenSeconds: 60 }), [60, 60]);
    assert.deepEqual(await lifetime({ accessTokenSeconds: 600 }), [120, 120]);
  });

  test('is issued to a device, and for a pushed request, by the same rules', async () => {
    const api = await newApi(latchkey);
    const device = await newApplication(latchkey, {
      kind: 'device',
      redirectUris: [],
      apis: [grantOf(api, 'orders:read')],
    });
    const configuration = await configurationOf(latchkey, { clientId: device.clientId });
    const asked = { scope: 'openid orders:read orders:refund', resource: api.identifier };
    const begun = await client.initiateDeviceAuthorization(configuration, asked);
    const browser = browserOf(latchkey);
    const entry = await browser.open(begun.verification_uri);
    const page = await browser.submit(await browser.submit(entry, { user_code: begun.user_code }), {});
    const { email: identifier } = await register(latchkey);
    await browser.submit(page, { identifier, password: PASSWORD });
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, { ...begun, interval: 0 });
    assert.deepEqual(scopesIn(tokens.access_token), ['openid', 'orders:read']);
    await assert.rejects(
      client.initiateDeviceAuthorization(configuration, { ...asked, resource: 'https://unknown.example' }),
      { error: 'invalid_target' },
    );
  });
});

describe('where an API requires permissions', () => {
  test('a person gives only the scopes that they have as permissions, from the next token on', async () => {
    for (const { name: key } of [READ, REFUND]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await admin(latchkey, 'permissions', { body: { key, description: 'Orders' } });
    }
    const api = await newApi(latchkey, { requirePermissions: true });
    const application = await newApplication(latchkey, { apis: [grantOf(api, 'orders:read', 'orders:refund')] });
    const person = await register(latchkey);
    await permit(person, 'orders:read');
    const asked = { resource: api.identifier, scope: 'openid orders:read orders:refund' };
    const { configuration, tokens } = await tokensFor(latchkey, application, person, { parameters: asked });
    assert.deepEqual(scopesIn(tokens.access_token), ['openid', 'orders:read']);
    await permit(person);
    const renewed = await refresh(configuration, tokens.refresh_token);
    assert.deepEqual(scopesIn(renewed.access_token), ['openid']);
    await permit(person, 'orders:read', 'orders:refund');
    const again = await tokensFor(latchkey, application, person, { parameters: asked });
    assert.deepEqual(scopesIn(again.tokens.access_token), ['openid', 'orders:read', 'orders:refund']);
  });

  test('a third party is neither asked for nor given what the person may not do', async () => {
    const api = await newApi(latchkey, {
      requirePermissions: true,
      scopes: [{ ...READ, name: 'billing:read' }, REFUND],
    });
    const application = await newApplication(latchkey, {
      firstParty: false,
      apis: [grantOf(api, 'billing:read', 'orders:refund')],
    });
    const person = await register(latchkey);
    const asked = { resource: api.identifier, scope: 'openid billing:read orders:refund' };
    const { page, flow, browser } = await authorize(latchkey, application, person, { parameters: asked });
    assert.doesNotMatch(page.text, /See your orders|orders:refund/);
    const tokens = await flow.finish(await browser.submit(page, { decision: 'allow' }));
    assert.deepEqual(scopesIn(tokens.access_token), ['openid']);
    assert.ok(
      (await tokensFor(latchkey, application, person, { parameters: asked, browser })).tokens,
      'and not asked again',
    );
  });
});

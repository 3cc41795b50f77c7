import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { createApplication } from '#applications';
import { permissionKeys } from '#permissions';
import type { Scope } from '#platform/ctx.ts';
import { bindHost, callAt, fetchHere, startDns, type TestDns } from '#tests/domains.ts';
import {
  eventually,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  requestManagementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserFor } from '#tests/oidc.ts';
import { startReceiver } from '#tests/receiver.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const REDIRECT = 'http://localhost:5173/callback';

let dns: TestDns;
let latchkey: TestLatchkey;
/** The first project's own issuer and API address. */
let issuer: string;
let api: string;
before(async () => {
  dns = await startDns();
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  ({ auth: issuer, api } = await bindHost(latchkey, dns, { host: 'login.shop.example', purposes: ['auth', 'api'] }));
});
after(async () => {
  await latchkey.stop();
  dns.stop();
});

const common = () => latchkey.system.config.addresses.test;
const at = (path: string, call?: Parameters<typeof callAt>[2]) => callAt(latchkey, issuer + path, call);

function discover(clientId = latchkey.demo.environments.test.clientId): Promise<client.Configuration> {
  return client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: (url, { method, headers, body }) =>
      fetchHere()(url, { method, headers, ...(body && { body: new URLSearchParams(String(body)) }) }),
  });
}

/** Signs a person in on the pages of the project's own issuer. */
async function signIn(person: { email: string }, clientId?: string) {
  const configuration = await discover(clientId);
  const verifier = client.randomPKCECodeVerifier();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
  });
  const browser = browserFor([issuer], fetchHere());
  const page = await browser.submit(await browser.open(url.href), { identifier: person.email, password: PASSWORD });
  assert.ok(page.url.startsWith(REDIRECT), `${page.url} ${page.text}`);
  const tokens = await client.authorizationCodeGrant(configuration, new URL(page.url), {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
  });
  return { configuration, tokens, page };
}

/** A management token of a new back end. */
async function managementTokenOf(scope: Scope): Promise<string> {
  const { clientId, secret } = await latchkey.inProject(
    (tx) => createApplication(tx, { kind: 'management', name: 'Back end', permissions: permissionKeys(tx.system) }),
    scope,
  );
  return tenantManagementToken(latchkey, { scope, owner: '', clientId, clientSecret: secret ?? '' });
}

function login(person: { email: string }): Promise<TestResponse> {
  return at('/v1/auth/login/password', { body: { identifier: person.email, password: PASSWORD } });
}

const context = (address: string, token: string) => callAt(latchkey, `${address}/v1/me/context`, { token });

describe('a project’s own issuer', () => {
  test('its metadata names only itself; the environment’s issuer does not change', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      // biome-ignore lint/performance/noAwaitInLoops: two
      for (const response of [await at(path), await at(path)]) {
        assert.equal(response.body.issuer, issuer);
        for (const [name, value] of Object.entries<string>(response.body))
          if (name.endsWith('_endpoint') || name === 'jwks_uri') assert.ok(value.startsWith(`${issuer}/`), name);
      }
      assert.equal((await latchkey.auth(path)).body.issuer, common().auth);
    }
    const { body } = await at('/connect/jwks');
    assert.deepEqual(body, (await latchkey.auth('/connect/jwks')).body);
  });

  test('OA-5 a sign-in on its pages returns its name in the response and in the ID token', async () => {
    const person = await register(latchkey);
    const { configuration, tokens, page } = await signIn(person);
    assert.equal(new URL(page.url).searchParams.get('iss'), issuer);
    assert.equal(tokens.claims()?.iss, issuer);
    const info = await client.fetchUserInfo(configuration, tokens.access_token, person.session.userId);
    assert.equal(info.sub, person.session.userId);
    const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    assert.ok(refreshed.access_token);
  });

  test('its access token opens a session there, and is invalid at the environment’s issuer', async () => {
    const { tokens } = await signIn(await register(latchkey));
    const { workspaceId, projects } = latchkey.demo;
    const call = {
      token: tokens.access_token,
      body: { workspaceId, projectId: projects[0]?.id, environment: 'test' },
    };
    const entered = await at('/v1/sessions/switch-context', call);
    assert.deepEqual([entered.status, decodeJwt(entered.body.access_token).iss], [200, issuer], entered.text);
    expectProblem(await latchkey.auth('/v1/sessions/switch-context', call), 401, 'AUTHENTICATION_REQUIRED');
    expectProblem(await context(api, tokens.access_token), 403, 'WRONG_TOKEN_KIND');
  });

  test('a host that changes owners keeps nothing of the earlier project', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const scope = { workspaceId, projectId: projects[1]?.id ?? 'prj_', environment: 'test' as const };
    const token = await managementTokenOf(scope);
    const before = await bindHost(latchkey, dns, { host: 'sold.shop.example' });
    const person = await register(latchkey);
    // A member of both projects, so that only the change of the host's owner can end the sign-in.
    const join = { ...scope, identifier: person.email, password: PASSWORD };
    assert.equal((await latchkey.auth('/v1/auth/login/password', { body: join })).status, 200);
    const browser = browserFor([before.auth], fetchHere());
    const query = (clientId: string, more: Record<string, string> = {}) =>
      `${before.auth}/connect/authorize?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: REDIRECT,
        response_type: 'code',
        scope: 'openid',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        ...more,
      })}`;
    const page = await browser.open(query(latchkey.demo.environments.test.clientId));
    await browser.submit(page, { identifier: person.email, password: PASSWORD });
    const silent = await browser.open(query(latchkey.demo.environments.test.clientId, { prompt: 'none' }));
    assert.ok(new URL(silent.url).searchParams.has('code'), 'signed in there');
    const admin = await managementToken(latchkey);
    await latchkey.api(`/v1/admin/domains/${before.id}`, { method: 'DELETE', token: admin });
    const sold = await bindHost(latchkey, dns, { host: 'sold.shop.example', token, projectId: scope.projectId });
    const { clientId } = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Theirs', redirectUris: [REDIRECT] }),
      scope,
    );
    const after = await browser.open(query(clientId, { prompt: 'none' }));
    assert.equal(new URL(after.url).searchParams.get('error'), 'login_required');
    await latchkey.api(`/v1/admin/domains/${sold.id}`, { method: 'DELETE', token });
  });

  test('it serves only the project’s applications', async () => {
    const tenant = await createTenant(latchkey, 'stranger');
    const { clientId } = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Theirs', redirectUris: [REDIRECT] }),
      tenant.scope,
    );
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    const refused = await at(`/connect/authorize?${query}`, { headers: { accept: 'application/json' } });
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_client']);
    assert.equal((await latchkey.auth(`/connect/authorize?${query}`)).status, 303);
  });

  test('OA-11 a logout notification has its issuer', async () => {
    const receiver = await startReceiver();
    try {
      const { clientId } = await latchkey.inProject((tx) =>
        createApplication(tx, {
          kind: 'spa',
          name: 'Told',
          redirectUris: [REDIRECT],
          backchannelLogoutUri: `${receiver.origin}/logout`,
        }),
      );
      const person = await register(latchkey);
      await signIn(person, clientId);
      await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } });
      const body = await eventually(async () => {
        const [received] = receiver.at('/logout');
        assert.ok(received);
        return received.body;
      });
      assert.equal(decodeJwt(new URLSearchParams(body).get('logout_token') ?? '').iss, issuer);
    } finally {
      await receiver.stop();
    }
  });
});

describe('session tokens of a project’s own addresses', () => {
  test('OA-9 they name the address and are valid at both API addresses', async () => {
    const person = await register(latchkey);
    const { body } = await login(person);
    const claims = decodeJwt(body.access_token);
    assert.deepEqual([claims.iss, claims.aud], [issuer, api]);
    const responses = [await context(api, body.access_token), await context(common().api, body.access_token)];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200],
    );
    const refreshed = await at('/v1/sessions/refresh', { body: { refresh_token: body.refresh_token } });
    assert.equal(decodeJwt(refreshed.body.access_token).iss, issuer);
    const elsewhere = await latchkey.auth('/v1/sessions/refresh', {
      body: { refresh_token: refreshed.body.refresh_token },
    });
    assert.equal(decodeJwt(elsewhere.body.access_token).iss, common().auth);
    assert.equal((await context(api, elsewhere.body.access_token)).status, 200);
  });

  test('in another project they name the environment’s address, because the domain is not that project’s', async () => {
    const [, helpdesk] = latchkey.demo.projects;
    const { workspaceId } = latchkey.demo;
    const person = await register(latchkey);
    const both = { workspaceId, projectId: helpdesk?.id, identifier: person.email, password: PASSWORD };
    await latchkey.auth('/v1/auth/login/password', { body: both });
    const { body: owner } = await login(person);
    const target = { workspaceId, projectId: helpdesk?.id, environment: 'test' };
    const { status, body } = await at('/v1/sessions/switch-context', { token: owner.access_token, body: target });
    assert.deepEqual([status, decodeJwt(body.access_token).iss], [200, common().auth]);
    expectProblem(await context(api, body.access_token), 403, 'CONTEXT_NOT_ALLOWED');
    assert.equal((await context(common().api, body.access_token)).status, 200);
  });

  test('BI-3 the project’s API address serves no other project', async () => {
    const tenant = await createTenant(latchkey, 'foreign');
    const token = await tenantManagementToken(latchkey, tenant);
    const members = (address: string) => callAt(latchkey, `${address}/v1/admin/members`, { token });
    assert.equal((await members(common().api)).status, 200);
    expectProblem(await members(api), 403, 'CONTEXT_NOT_ALLOWED');
  });

  test('they end with the binding, even a token that was used before', async () => {
    const own = await bindHost(latchkey, dns, { host: 'short.shop.example' });
    const person = await register(latchkey);
    const { body } = await callAt(latchkey, `${own.auth}/v1/auth/login/password`, {
      body: { identifier: person.email, password: PASSWORD },
    });
    assert.equal((await context(common().api, body.access_token)).status, 200);
    const token = await managementToken(latchkey);
    await latchkey.api(`/v1/admin/domains/${own.id}/bindings?purpose=auth`, { method: 'DELETE', token });
    expectProblem(await context(common().api, body.access_token), 401, 'AUTHENTICATION_REQUIRED');
    const refreshed = await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: body.refresh_token } });
    assert.equal((await context(common().api, refreshed.body.access_token)).status, 200);
  });
});

describe('management tokens', () => {
  async function requestAt(address: string, resource?: string): Promise<TestResponse> {
    const { managementClientId, managementClientSecret } = latchkey.demo.environments.test;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId: latchkey.demo.workspaceId,
      projectId: latchkey.demo.projects[0]?.id ?? '',
      environment: 'test',
      client_id: managementClientId,
      client_secret: managementClientSecret,
      ...(resource !== undefined && { resource }),
    });
    return callAt(latchkey, `${address}/connect/token`, { body });
  }

  test('of the project’s own issuer are for its API address, and valid at both', async () => {
    const { body } = await requestAt(issuer);
    const claims = decodeJwt(body.access_token);
    assert.deepEqual([claims.iss, claims.aud], [issuer, api]);
    for (const address of [api, common().api]) {
      // biome-ignore lint/performance/noAwaitInLoops: two
      const { status } = await callAt(latchkey, `${address}/v1/admin/roles`, { token: body.access_token });
      assert.equal(status, 200, address);
    }
  });

  test('can be requested for the project’s API address anywhere, and for no other', async () => {
    const { body } = await requestManagementToken(latchkey, { resource: api });
    assert.equal(decodeJwt(body.access_token).aud, api);
    assert.equal((await callAt(latchkey, `${api}/v1/admin/roles`, { token: body.access_token })).status, 200);
    assert.equal(decodeJwt((await requestAt(issuer, common().api)).body.access_token).aud, common().api);
    assert.equal((await requestAt(issuer, 'http://other.shop.example')).body.error, 'invalid_target');
  });
});

describe('addresses in mails', () => {
  test('a link leads to the address where it was requested', async () => {
    const person = await register(latchkey);
    await at('/v1/auth/password/forgot', { body: { identifier: person.email } });
    const link = /http\S+token=[\w-]+/.exec((await lastMessage(latchkey, person.email)).text)?.[0] ?? '';
    assert.ok(link.startsWith(`${issuer}/link/password?`), link);
    assert.equal((await callAt(latchkey, link)).status, 200);
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: person.email } });
    assert.ok((await lastMessage(latchkey, person.email)).text.includes(`${common().auth}/link/password?`));
  });

  test('an invitation leads to the project’s own address; a project without one uses the environment’s', async () => {
    const email = newEmail();
    await latchkey.api('/v1/admin/invitations', { token: await managementToken(latchkey), body: { email } });
    assert.ok((await lastMessage(latchkey, email)).text.includes(`${issuer}/link/invitation?`));
    const tenant = await createTenant(latchkey, 'plain');
    const other = newEmail();
    const token = await tenantManagementToken(latchkey, tenant);
    await latchkey.api('/v1/admin/invitations', { token, body: { email: other } });
    assert.ok((await lastMessage(latchkey, other)).text.includes(`${common().auth}/link/invitation?`));
  });
});

describe('in the browser', () => {
  test('passkeys are for the host in use', async () => {
    const own = await at('/v1/auth/login/passkey/options', { body: {} });
    assert.equal(own.body.options.rpId, 'login.shop.example');
    assert.equal((await latchkey.auth('/v1/auth/login/passkey/options', { body: {} })).body.options.rpId, 'localhost');
    const { body } = await latchkey.api('/v1/me/security/passkeys/options', {
      token: await ownerToken(latchkey),
      body: {},
    });
    assert.equal(body.options.rp.id, 'login.shop.example');
  });
});

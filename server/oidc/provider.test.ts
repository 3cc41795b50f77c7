import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { disableApplication, findApplication, rotateSecret } from '#applications';
import { expectProblem, managementToken, requestManagementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { createTenant } from '#tests/tenants.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const request = (changes: Record<string, string | undefined> = {}) => requestManagementToken(latchkey, changes);

function expectOAuthError(answer: { status: number; body: { error?: string }; text: string }, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.body.error], [status, error], answer.text);
}

describe('discovery', () => {
  test('openid-client finds the issuer, its addresses and its keys', async () => {
    const { authUrl, managementClientId, managementClientSecret } = latchkey.demo.environments.test;
    const configuration = await client.discovery(new URL(authUrl), managementClientId, managementClientSecret, undefined, { execute: [client.allowInsecureRequests] });
    const metadata = configuration.serverMetadata();
    assert.equal(metadata.issuer, authUrl);
    assert.equal(metadata.token_endpoint, `${authUrl}/connect/token`);
    assert.equal(metadata.jwks_uri, `${authUrl}/connect/jwks`);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    assert.ok(!metadata.grant_types_supported?.includes('implicit') && !metadata.grant_types_supported?.includes('password'), 'OA-4');
    assert.equal(metadata.authorization_response_iss_parameter_supported, true, 'OA-5');
  });

  test('RFC 8414 metadata is there too, and both environments have issuers and keys of their own', async () => {
    const issuers = await Promise.all((['test', 'production'] as const).map(async (environment) => (await latchkey.auth('/.well-known/oauth-authorization-server', {}, environment)).body.issuer));
    assert.deepEqual(issuers, [latchkey.demo.environments.test.authUrl, latchkey.demo.environments.production.authUrl]);
    const jwks = await Promise.all((['test', 'production'] as const).map(async (environment) => (await latchkey.auth('/connect/jwks', {}, environment)).body.keys));
    for (const keys of jwks) {
      assert.deepEqual(keys.map(({ alg }: { alg: string }) => alg).sort(), ['ES256', 'RS256']);
      for (const key of keys) for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) assert.ok(!(secret in key), `${secret} is not published`);
    }
    const kids = jwks.flat().map(({ kid }: { kid: string }) => kid);
    assert.equal(new Set(kids).size, 4);
  });
});

describe('POST /connect/token, client_credentials', () => {
  for (const [name, authentication] of [
    ['client_secret_post', client.ClientSecretPost],
    ['client_secret_basic', client.ClientSecretBasic],
  ] as const) {
    test(`200 through openid-client with ${name}`, async () => {
      const { workspaceId, projects, environments } = latchkey.demo;
      const { authUrl, managementClientId, managementClientSecret } = environments.test;
      const configuration = await client.discovery(new URL(authUrl), managementClientId, undefined, authentication(managementClientSecret), { execute: [client.allowInsecureRequests] });
      const tokens = await client.clientCredentialsGrant(configuration, { workspaceId, projectId: projects[0]?.id ?? '', environment: 'test', scope: 'members:read' });
      assert.deepEqual([tokens.token_type.toLowerCase(), tokens.expires_in, tokens.scope], ['bearer', 3_600, 'members:read']);
      assert.equal((await latchkey.api('/v1/admin/members', { token: tokens.access_token })).status, 200);
    });
  }

  test('OA-9 the token is an at+jwt for the API address of its environment', async () => {
    const token = await managementToken(latchkey);
    const { authUrl, apiUrl, managementClientId } = latchkey.demo.environments.test;
    const { alg, typ } = decodeProtectedHeader(token);
    assert.deepEqual({ alg, typ: typ?.toLowerCase() }, { alg: 'ES256', typ: 'at+jwt' });
    const { iss, aud, client_id, exp = 0, iat = 0, environment } = decodeJwt(token);
    assert.deepEqual({ iss, aud, client_id, lifetime: exp - iat, environment }, { iss: authUrl, aud: apiUrl, client_id: managementClientId, lifetime: 3_600, environment: 'test' });
    expectProblem(await latchkey.api('/v1/admin/members', { token }, 'production'), 401, 'AUTHENTICATION_REQUIRED');
  });

  test('without a scope everything that was granted; more than that is invalid_scope', async () => {
    const all = await request();
    assert.ok(all.body.scope.split(' ').includes('billing:write'));
    expectOAuthError(await request({ scope: 'members:read no:such' }), 400, 'invalid_scope');
    const narrow = await request({ scope: 'roles:read' });
    expectProblem(await latchkey.api('/v1/admin/members', { token: narrow.body.access_token }), 403, 'AUTHORIZATION_DENIED');
  });

  test("the project named must be the client's own", async () => {
    const tenant = await createTenant(latchkey, 'other');
    expectOAuthError(await request({ workspaceId: tenant.scope.workspaceId }), 400, 'invalid_target');
    expectOAuthError(await request({ projectId: latchkey.demo.projects[1]?.id }), 400, 'invalid_target');
    expectOAuthError(await request({ environment: 'production' }), 400, 'invalid_target');
    for (const missing of ['workspaceId', 'projectId', 'environment']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectOAuthError(await request({ [missing]: undefined }), 400, 'invalid_request');
    }
    const prod = await requestManagementToken(latchkey, { environment: 'prod' }, 'production');
    assert.equal(prod.status, 200, prod.text);
  });

  test('wrong secret, unknown client and a client of the other environment are invalid_client alike', async () => {
    const { managementClientId, managementClientSecret } = latchkey.demo.environments.production;
    for (const changes of [{ client_secret: 'lks_wrong' }, { client_id: 'nobody.atall' }, { client_id: managementClientId, client_secret: managementClientSecret }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectOAuthError(await request(changes), 401, 'invalid_client');
    }
  });

  test('OA-4 other grants are refused', async () => {
    for (const grant_type of ['password', 'implicit', 'authorization_code']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await request({ grant_type })).status, 400, grant_type);
    }
  });

  test('answers carry the correlation id and are not cached', async () => {
    const { authUrl } = latchkey.demo.environments.test;
    const response = await fetch(`${authUrl}/connect/token`, { method: 'POST', headers: { 'x-correlation-id': 'mine-42' }, body: new URLSearchParams({ grant_type: 'client_credentials' }) });
    assert.equal(response.headers.get('x-correlation-id'), 'mine-42');
    assert.match(response.headers.get('cache-control') ?? '', /no-store/);
  });

  test('SE-3 rotating the secret, or disabling the client, ends its tokens at once', async () => {
    const { managementClientId } = latchkey.demo.environments.test;
    const application = await findApplication(latchkey.system, 'test', managementClientId);
    assert.ok(application);
    const before = await managementToken(latchkey);
    assert.equal((await latchkey.api('/v1/admin/roles', { token: before })).status, 200);
    const secret = await latchkey.inProject((tx) => rotateSecret(tx, application.id));
    expectProblem(await latchkey.api('/v1/admin/roles', { token: before }), 401, 'SESSION_REVOKED');
    expectOAuthError(await request(), 401, 'invalid_client');
    assert.equal((await request({ client_secret: secret })).status, 200);
    await latchkey.inProject((tx) => disableApplication(tx, application.id));
    expectOAuthError(await request({ client_secret: secret }), 401, 'invalid_client');
  });
});

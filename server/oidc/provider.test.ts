import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { createApplication, disableApplication, findApplication, rotateSecret } from '#applications';
import type { ApplicationId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import {
  changeSettings,
  eventually,
  expectProblem,
  managementToken,
  requestManagementToken,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { createTenant } from '#tests/tenants.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ own: 'counts the rows of a whole table' });
});
after(() => latchkey.stop());

const request = (changes: Record<string, string | undefined> = {}) => requestManagementToken(latchkey, changes);

function expectOAuthError(
  response: { status: number; body: { error?: string }; text: string },
  status: number,
  error: string,
): void {
  assert.deepEqual([response.status, response.body.error], [status, error], response.text);
}

describe('discovery', () => {
  test('openid-client finds the issuer, its addresses and its keys', async () => {
    const { authUrl, managementClientId, managementClientSecret } = latchkey.demo.environments.test;
    const configuration = await client.discovery(
      new URL(authUrl),
      managementClientId,
      managementClientSecret,
      undefined,
      { execute: [client.allowInsecureRequests] },
    );
    const metadata = configuration.serverMetadata();
    assert.equal(metadata.issuer, authUrl);
    assert.equal(metadata.token_endpoint, `${authUrl}/connect/token`);
    assert.equal(metadata.jwks_uri, `${authUrl}/connect/jwks`);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    assert.ok(
      !metadata.grant_types_supported?.includes('implicit') && !metadata.grant_types_supported?.includes('password'),
      'OA-4',
    );
    assert.equal(metadata.authorization_response_iss_parameter_supported, true, 'OA-5');
  });

  test('RFC 8414 metadata is there too, and both environments have issuers and keys of their own', async () => {
    const issuers = await Promise.all(
      (['test', 'production'] as const).map(
        async (environment) =>
          (await latchkey.auth('/.well-known/oauth-authorization-server', {}, environment)).body.issuer,
      ),
    );
    assert.deepEqual(issuers, [latchkey.demo.environments.test.authUrl, latchkey.demo.environments.production.authUrl]);
    const jwks = await Promise.all(
      (['test', 'production'] as const).map(
        async (environment) => (await latchkey.auth('/connect/jwks', {}, environment)).body.keys,
      ),
    );
    for (const keys of jwks) {
      assert.deepEqual(keys.map(({ alg }: { alg: string }) => alg).sort(), ['ES256', 'RS256']);
      for (const key of keys)
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi'])
          assert.ok(!(secret in key), `${secret} is not published`);
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
      const configuration = await client.discovery(
        new URL(authUrl),
        managementClientId,
        undefined,
        authentication(managementClientSecret),
        { execute: [client.allowInsecureRequests] },
      );
      const tokens = await client.clientCredentialsGrant(configuration, {
        workspaceId,
        projectId: projects[0]?.id ?? '',
        environment: 'test',
        scope: 'members:read',
      });
      assert.deepEqual(
        [tokens.token_type.toLowerCase(), tokens.expires_in, tokens.scope],
        ['bearer', 3_600, 'members:read'],
      );
      assert.equal((await latchkey.api('/v1/admin/members', { token: tokens.access_token })).status, 200);
    });
  }

  test('OA-9 the token is an at+jwt for the API address of its environment', async () => {
    const token = await managementToken(latchkey);
    const { authUrl, apiUrl, managementClientId } = latchkey.demo.environments.test;
    const { alg, typ } = decodeProtectedHeader(token);
    assert.deepEqual({ alg, typ: typ?.toLowerCase() }, { alg: 'ES256', typ: 'at+jwt' });
    const { iss, aud, client_id, exp = 0, iat = 0, environment } = decodeJwt(token);
    assert.deepEqual(
      { iss, aud, client_id, lifetime: exp - iat, environment },
      { iss: authUrl, aud: apiUrl, client_id: managementClientId, lifetime: 3_600, environment: 'test' },
    );
    expectProblem(await latchkey.api('/v1/admin/members', { token }, 'production'), 401, 'AUTHENTICATION_REQUIRED');
  });

  test('a management token works as long as the settings say', async () => {
    await changeSettings(latchkey, { managementTokenSeconds: 120 });
    const { body } = await request();
    await changeSettings(latchkey, { managementTokenSeconds: 3_600 });
    const { exp = 0, iat = 0 } = decodeJwt(body.access_token);
    assert.deepEqual([body.expires_in, exp - iat], [120, 120]);
  });

  test('without a scope, everything granted; more than that is invalid_scope', async () => {
    const all = await request();
    assert.ok(all.body.scope.split(' ').includes('billing:write'));
    expectOAuthError(await request({ scope: 'members:read no:such' }), 400, 'invalid_scope');
    const narrow = await request({ scope: 'roles:read' });
    expectProblem(
      await latchkey.api('/v1/admin/members', { token: narrow.body.access_token }),
      403,
      'AUTHORIZATION_DENIED',
    );
  });

  test('the named project must be the client’s own', async () => {
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

  test('a wrong secret, an unknown client and a client of the other environment are all invalid_client', async () => {
    const { managementClientId, managementClientSecret } = latchkey.demo.environments.production;
    for (const changes of [
      { client_secret: 'lks_wrong' },
      { client_id: 'nobody.atall' },
      { client_id: managementClientId, client_secret: managementClientSecret },
    ]) {
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

  test('responses carry the correlation id and are not cached', async () => {
    const { authUrl } = latchkey.demo.environments.test;
    const response = await fetch(`${authUrl}/connect/token`, {
      method: 'POST',
      headers: { 'x-correlation-id': 'mine-42' },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    assert.equal(response.headers.get('x-correlation-id'), 'mine-42');
    assert.match(response.headers.get('cache-control') ?? '', /no-store/);
  });

  test('a failed client authentication names the scheme', async () => {
    const { authUrl } = latchkey.demo.environments.test;
    const response = await request({ client_secret: 'lks_wrong' });
    assert.equal(response.headers.get('www-authenticate'), `Basic realm="${authUrl}"`);
    const header = `Basic ${Buffer.from('nobody.atall:lks_wrong').toString('base64')}`;
    const basic = await latchkey.auth('/connect/token', {
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      headers: { authorization: header },
    });
    expectOAuthError(basic, 401, 'invalid_client');
    assert.match(basic.headers.get('www-authenticate') ?? '', /^Basic realm=/);
  });

  test('RFC 8707 the resource may be named, and is only the API host', async () => {
    const { test: here, production } = latchkey.demo.environments;
    const named = await request({ resource: here.apiUrl });
    assert.equal(decodeJwt(named.body.access_token).aud, here.apiUrl);
    for (const resource of [production.apiUrl, 'https://elsewhere.example', 'no address']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectOAuthError(await request({ resource }), 400, 'invalid_target');
    }
  });

  test('a body that is no form, is too large or repeats a parameter is invalid_request or invalid_target', async () => {
    const post = (body: unknown, headers = {}) => latchkey.auth('/connect/token', { body, headers });
    expectOAuthError(await post({ grant_type: 'client_credentials' }), 400, 'invalid_request');
    expectOAuthError(await post(new URLSearchParams({ scope: 'x'.repeat(60_000) })), 400, 'invalid_request');
    const twice = { 'content-type': 'application/x-www-form-urlencoded' };
    const { managementClientId: id, managementClientSecret: secret } = latchkey.demo.environments.test;
    const { workspaceId, projects } = latchkey.demo;
    const form = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}&environment=test&projectId=${projects[0]?.id}`;
    expectOAuthError(await post(`${form}&workspaceId=${workspaceId}&client_id=${id}`, twice), 400, 'invalid_request');
    expectOAuthError(await post(`${form}&workspaceId=${workspaceId}&workspaceId=x`, twice), 400, 'invalid_target');
  });

  test('only management clients get tokens here', async () => {
    const web = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'web', name: 'Site', redirectUris: ['https://site.example/cb'] }),
    );
    const spa = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'spa', name: 'Page', redirectUris: ['https://page.example/cb'] }),
    );
    assert.ok(web.secret);
    assert.equal(spa.secret, null);
    const asWeb = await request({ client_id: web.clientId, client_secret: web.secret });
    expectOAuthError(asWeb, 400, 'invalid_request');
    const asPage = await request({ client_id: spa.clientId, client_secret: undefined });
    expectOAuthError(asPage, 400, 'invalid_request');
  });

  test('unsupported features are reported as such, and no token is stored', async () => {
    await managementToken(latchkey);
    expectProblem(await latchkey.auth('/connect/token'), 405, 'METHOD_NOT_ALLOWED');
    const { rows } = await latchkey.system.pool.query('select count(*) as records from oidc_records');
    assert.equal(rows[0].records, 0);
  });

  test('CORS: a page of an origin that the client does not list gets no token', async () => {
    const origin = 'https://page.example';
    const { managementClientId: id, managementClientSecret: secret } = latchkey.demo.environments.test;
    const response = await latchkey.auth('/connect/token', {
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
      headers: { origin },
    });
    expectOAuthError(response, 400, 'invalid_request');
    assert.equal(response.headers.get('access-control-allow-origin'), null);
  });
});

describe('ending the tokens of a client', () => {
  let client: { id: ApplicationId; clientId: string; secret: string };
  beforeEach(async () => {
    const { id, clientId, secret } = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'management', name: 'Job', permissions: ['roles:read'] }),
    );
    assert.ok(secret);
    client = { id, clientId, secret };
  });

  const ask = (secret: string) => request({ client_id: client.clientId, client_secret: secret });
  const use = (token: string) => latchkey.api('/v1/admin/roles', { token });
  const tokenWith = async (secret: string): Promise<string> => {
    const response = await ask(secret);
    assert.equal(response.status, 200, response.text);
    return response.body.access_token;
  };
  const rotate = () => latchkey.inProject((tx) => rotateSecret(tx, client.id));

  test('SE-3 rotating the secret ends its tokens immediately; the new secret and its token work immediately', async () => {
    const before = await tokenWith(client.secret);
    assert.equal((await use(before)).status, 200);
    const secret = await rotate();
    expectProblem(await use(before), 401, 'SESSION_REVOKED');
    expectOAuthError(await ask(client.secret), 401, 'invalid_client');
    assert.equal((await use(await tokenWith(secret))).status, 200);
  });

  test('SE-3 each of several rotations within a second ends what was issued after the one before', async () => {
    const tokens: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      tokens.push(await tokenWith(await rotate()));
    }
    const responses = await Promise.all(tokens.map(use));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [401, 401, 401, 200],
    );
  });

  test('SE-3 no token that is issued while the secret is rotated outlives the rotation', async () => {
    const tokens: string[] = [];
    let rotated = false;
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!rotated) {
          // biome-ignore lint/performance/noAwaitInLoops: as many as it takes
          const { status, body } = await ask(client.secret);
          if (status === 200) tokens.push(body.access_token);
        }
      }),
    );
    // The change takes effect in the next second.
    await latchkey.inProject(async (tx) => {
      await rotateSecret(tx, client.id);
      const second = Math.floor(Date.now() / 1000);
      await eventually(async () => assert.ok(Math.floor(Date.now() / 1000) > second && tokens.length > 20));
    });
    rotated = true;
    await load;
    const responses = await Promise.all(tokens.slice(-200).map(use));
    for (const response of responses) expectProblem(response, 401, 'SESSION_REVOKED');
  });

  test('SE-3 disabling the client ends its tokens immediately, and it gets no others', async () => {
    const token = await tokenWith(client.secret);
    await latchkey.inProject((tx) => disableApplication(tx, client.id));
    expectProblem(await use(token), 401, 'SESSION_REVOKED');
    expectOAuthError(await ask(client.secret), 401, 'invalid_client');
    const found = await findApplication(latchkey.system, 'test', client.clientId);
    assert.equal(found?.enabled, false);
  });

  test('a client of another project is not found', async () => {
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const elsewhere = latchkey.inProject((tx) => rotateSecret(tx, client.id), { projectId: second.id });
    await assert.rejects(elsewhere, (error) => error instanceof Problem && error.code === 'NOT_FOUND');
    await tokenWith(client.secret);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { Environment } from '#platform/ctx.ts';
import { admin, machineToken, newApi, newMachine } from '#tests/apis.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { configurationOf } from '#tests/oidc.ts';
import { createTenant } from '#tests/tenants.ts';
import { addApis, addBackEnd, addShop, exchange, ORDERS, signedIn, signedInForOrders } from '#tests/token-exchange.ts';

const SIGNED = 'application/token-introspection+jwt';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
  await addApis(latchkey);
});
after(() => latchkey.stop());

type Caller = { clientId: string; secret: string | null };

function ask({ clientId, secret }: Caller, token: string, accept: string, environment: Environment = 'test') {
  const body = new URLSearchParams({ token, client_id: clientId, client_secret: secret ?? '' });
  return latchkey.auth('/connect/introspect', { body, headers: { accept } }, environment);
}

/** The introspection in a signed response, verified as RFC 9701 §5 says. */
async function verified(caller: Caller, token: string, environment: Environment = 'test') {
  const response = await ask(caller, token, SIGNED, environment);
  assert.equal(response.status, 200, response.text);
  assert.match(response.headers.get('content-type') ?? '', /^application\/token-introspection\+jwt(;|$)/);
  const issuer = latchkey.system.config.addresses[environment].auth;
  const { payload, protectedHeader } = await jwtVerify(
    response.text,
    createRemoteJWKSet(new URL(`${issuer}/connect/jwks`)),
    { issuer, audience: caller.clientId, typ: 'token-introspection+jwt', algorithms: ['RS256'] },
  );
  const { iss, aud, iat, token_introspection: introspection, ...rest } = payload;
  assert.deepEqual([rest, protectedHeader.alg, typeof iat], [{}, 'RS256', 'number']);
  return { response, introspection };
}

/** A token of each kind of the demo's project, by kind. */
async function tokensOfEachKind(): Promise<Record<string, string>> {
  const [shop, backEnd] = [await addShop(latchkey), await addBackEnd(latchkey)];
  const { tokens } = await signedIn(latchkey, shop, { scope: 'openid email' });
  const { tokens: forOrders } = await signedInForOrders(latchkey, shop);
  const api = await newApi(latchkey);
  const machine = await newMachine(latchkey, api, 'orders:read');
  const manager = await admin(latchkey, 'applications', {
    body: { kind: 'management', name: 'Manager', permissions: ['members:read'] },
  });
  const { workspaceId, projects } = latchkey.demo;
  const context = { workspaceId, projectId: projects[0]?.id ?? '', environment: 'test' };
  return {
    opaque: tokens.access_token,
    refresh: tokens.refresh_token ?? '',
    jwt: forOrders.access_token,
    exchanged: (await exchange(latchkey, backEnd, forOrders.access_token)).body.access_token,
    machine: (await machineToken(latchkey, machine, { resource: api.identifier })).body.access_token,
    management: (await machineToken(latchkey, manager, context)).body.access_token,
  };
}

describe('an introspection response as JWT (RFC 9701)', () => {
  test('is signed for the caller and says what the JSON says, for every kind of token', async () => {
    const caller = await addShop(latchkey);
    const tokens = await tokensOfEachKind();
    for (const [kind, token] of Object.entries(tokens)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const plain = await ask(caller, token, 'application/json');
      assert.equal(plain.body.active, true, kind);
      assert.deepEqual((await verified(caller, token)).introspection, plain.body, kind);
    }
  });

  test('reports only that a token is inactive to clients of other projects and environments', async () => {
    const tokens = Object.values(await tokensOfEachKind());
    const { clientId, clientSecret } = await createTenant(latchkey, `signed${Date.now()}`);
    const { managementClientId, managementClientSecret } = latchkey.demo.environments.production;
    const abroad = { clientId: managementClientId, secret: managementClientSecret };
    const stranger = { clientId, secret: clientSecret };
    const responses = [...tokens, 'unknown', 'a.b.c'].flatMap((token) => [
      verified(stranger, token),
      verified(abroad, token, 'production'),
    ]);
    for (const { introspection } of await Promise.all(responses)) assert.deepEqual(introspection, { active: false });
  });

  test('reports the same when a token has ended', async () => {
    const caller = await addShop(latchkey);
    const { person, tokens } = await signedInForOrders(latchkey, caller);
    const { tokens: other } = await signedIn(latchkey, caller);
    const everywhere = { token: person.access_token, body: { everywhere: true } };
    assert.equal((await latchkey.auth('/v1/sessions/logout', everywhere)).status, 204);
    const ended = [tokens.access_token, tokens.refresh_token ?? ''].map((token) => verified(caller, token));
    for (const { introspection } of await Promise.all(ended)) assert.deepEqual(introspection, { active: false });
    const live = await verified(caller, other.access_token);
    assert.equal(Object(live.introspection).active, true, 'of another session');
  });

  test('is sent only if it is accepted and preferred', async () => {
    const caller = await addShop(latchkey);
    const { access_token: opaque } = (await signedIn(latchkey, caller)).tokens;
    const { access_token: jwt } = (await signedInForOrders(latchkey, caller)).tokens;
    for (const accept of ['*/*', 'application/json', `application/json, ${SIGNED};q=0.5`, 'text/html, */*;q=0.2'])
      for (const token of [opaque, jwt]) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        const { status, body, headers } = await ask(caller, token, accept);
        assert.deepEqual([status, body.active], [200, true], accept);
        assert.match(headers.get('content-type') ?? '', /^application\/json/);
      }
  });

  test('a client that does not authenticate gets an error as JSON', async () => {
    const caller = await addShop(latchkey);
    for (const token of ['unknown', 'a.b.c']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { status, body } = await ask({ ...caller, secret: 'wrong' }, token, SIGNED);
      assert.deepEqual([status, body.error], [401, 'invalid_client']);
    }
  });

  test('is not an access token, an ID token or a subject of an exchange', async () => {
    const [shop, backEnd] = [await addShop(latchkey, { postLogoutRedirectUris: [] }), await addBackEnd(latchkey)];
    const { tokens } = await signedInForOrders(latchkey, shop);
    const { response } = await verified(shop, tokens.access_token);
    const signed = response.text;
    assert.equal((await latchkey.auth('/connect/userinfo', { token: signed })).status, 401);
    assert.equal((await latchkey.api('/v1/me/context', { token: signed })).status, 401);
    assert.equal((await exchange(latchkey, backEnd, signed)).status, 400);
    assert.equal((await latchkey.auth(`/connect/logout?id_token_hint=${signed}`)).status, 400);
    assert.deepEqual((await ask(shop, signed, 'application/json')).body, { active: false });
  });

  test('a client library that asks for it by its metadata accepts it', async () => {
    const shop = await addShop(latchkey);
    const { tokens } = await signedInForOrders(latchkey, shop);
    const { issuer } = (await configurationOf(latchkey)).serverMetadata();
    const configuration = await client.discovery(
      new URL(issuer),
      shop.clientId,
      { client_secret: shop.secret, introspection_signed_response_alg: 'RS256' },
      undefined,
      { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
    );
    assert.deepEqual(configuration.serverMetadata().introspection_signing_alg_values_supported, ['ES256', 'RS256']);
    const { active, aud } = await client.tokenIntrospection(configuration, tokens.access_token);
    assert.deepEqual([active, aud], [true, ORDERS]);
  });
});

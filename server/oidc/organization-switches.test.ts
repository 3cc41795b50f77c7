import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { newApplication } from '#tests/apis.ts';
import { ownerToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn, userInfoOf } from '#tests/oidc.ts';

const RESOURCE = 'https://api.switches.example';
const SCOPE = 'openid organization offline_access';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

let latchkey: TestLatchkey;
let token: string;
let own: { clientId: string; secret: string };
let acting: { clientId: string; secret: string };
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await admin('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
  await admin('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
  await admin('apis', 'POST', {
    identifier: RESOURCE,
    name: 'Orders',
    requirePermissions: true,
    scopes: [{ name: 'orders:refund', description: 'Refund' }],
  });
  const apis = [{ identifier: RESOURCE, scopes: ['orders:refund'] }];
  own = await application({ apis });
  acting = await application({ apis, grants: ['authorization_code', 'refresh_token', EXCHANGE] });
});
after(() => latchkey.stop());

async function application(values: Record<string, unknown>) {
  const { clientId, secret } = await newApplication(latchkey, values);
  return { clientId, secret: secret ?? '' };
}

const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });

async function newPerson() {
  const person = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(person.email)}`);
  return { email: person.email, memberId: String(body.items[0].id) };
}
type Person = Awaited<ReturnType<typeof newPerson>>;

async function newOrganization(person: Person, roles: string[] = []): Promise<string> {
  const { body } = await admin('organizations', 'POST', { name: 'Acme' });
  const added = await admin(`organizations/${body.id}/members`, 'POST', { memberId: person.memberId, roles });
  assert.equal(added.status, 201, added.text);
  return String(body.id);
}

/** A person in two organizations who is signed in at an application for the first. */
async function signedIn(asked: Record<string, string> = {}, at = own) {
  const person = await newPerson();
  const [first, second] = [await newOrganization(person), await newOrganization(person, ['billing'])];
  const flow = await codeFlow(latchkey, { scope: SCOPE, organization: first, ...asked }, at);
  const tokens = await flow.finish(await signInOn(latchkey, flow, person, browserOf(latchkey)));
  const refresh = (refreshToken: string | undefined, parameters?: Record<string, string>) =>
    client.refreshTokenGrant(flow.configuration, refreshToken ?? '', parameters);
  const orgOf = async (told: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers) =>
    (await userInfoOf(flow, told))['org_id'];
  const isActive = async (value: string) => (await client.tokenIntrospection(flow.configuration, value)).active;
  return { person, first, second, flow, tokens, refresh, orgOf, isActive };
}

describe('a refresh that names another organization of the person', () => {
  test('returns an access token for it; the refresh token stays in its own, and earlier tokens go on', async () => {
    const { first, second, tokens, refresh, orgOf, isActive } = await signedIn();
    const there = await refresh(tokens.refresh_token, { organization: second });
    assert.equal(await orgOf(there), second);
    assert.equal(there.scope, tokens.scope);
    assert.equal(await isActive(tokens.access_token), true);
    const back = await refresh(there.refresh_token);
    assert.equal(await orgOf(back), first);
    const again = await refresh(back.refresh_token, { organization: first });
    assert.equal(await orgOf(again), first);
    assert.equal(await isActive(there.access_token), true);
  });

  test('returns an access token for it to each of several requests at once', async () => {
    const { second, tokens, refresh, orgOf } = await signedIn();
    const there = await Promise.all(
      Array.from({ length: 5 }, () => refresh(tokens.refresh_token, { organization: second })),
    );
    assert.deepEqual(new Set(await Promise.all(there.map(orgOf))), new Set([second]));
  });

  test('returns the permissions in that organization alone, and no further scope', async () => {
    const { second, tokens, refresh } = await signedIn({
      scope: 'openid offline_access orders:refund',
      resource: RESOURCE,
    });
    const before = decodeJwt(tokens.access_token);
    assert.deepEqual(before['org_permissions'], []);
    const there = decodeJwt((await refresh(tokens.refresh_token, { organization: second })).access_token);
    assert.deepEqual(
      [there['org_id'], there['org_permissions'], there['permissions'], there['scope']],
      [second, ['orders:refund'], before['permissions'], before['scope']],
    );
  });

  test('is refused where the session may not enter it, and spends no refresh token', async () => {
    const { person, second, tokens, refresh } = await signedIn();
    const stranger = await newOrganization(await newPerson());
    const [left, blocked, strict, foreign, listed] = [
      await newOrganization(person),
      await newOrganization(person),
      await newOrganization(person),
      await newOrganization(person),
      await newOrganization(person),
    ];
    await admin(`organizations/${left}/members/${person.memberId}`, 'DELETE');
    await admin(`organizations/${blocked}/block`, 'POST');
    await admin(`organizations/${strict}/policy`, 'PATCH', { mfa: 'required' });
    await admin(`organizations/${foreign}/policy`, 'PATCH', { signInMethods: ['passkey'] });
    await admin(`organizations/${listed}/policy`, 'PATCH', { addresses: ['127.0.0.0/8', '::1'] });
    const refused = { [strict]: 'unmet_authentication_requirements' };
    for (const organization of [stranger, left, blocked, foreign, listed, strict, 'unknown']) {
      const error = refused[organization] ?? 'access_denied';
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await assert.rejects(refresh(tokens.refresh_token, { organization }), { error });
    }
    await assert.rejects(refresh(tokens.refresh_token, { organization: "acme' or 1=1" }), { error: 'invalid_request' });
    assert.ok((await refresh(tokens.refresh_token, { organization: second })).access_token);
  });

  test('is for first-party applications', async () => {
    const theirs = await application({ firstParty: false });
    const person = await newPerson();
    const [first, second] = [await newOrganization(person), await newOrganization(person)];
    const flow = await codeFlow(latchkey, { scope: SCOPE, organization: first, prompt: 'consent' }, theirs);
    const browser = browserOf(latchkey);
    const tokens = await flow.finish(
      await browser.submit(await signInOn(latchkey, flow, person, browser), { decision: 'allow' }),
    );
    await assert.rejects(
      client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '', { organization: second }),
      { error: 'access_denied' },
    );
  });

  test('returns a token that ends with the membership, and with the grant of the refresh token', async () => {
    const { person, first, second, tokens, refresh, isActive } = await signedIn();
    const there = await refresh(tokens.refresh_token, { organization: second });
    await admin(`organizations/${second}/members/${person.memberId}`, 'DELETE');
    assert.equal(await isActive(there.access_token), false);
    const third = await newOrganization(person);
    const other = await refresh(there.refresh_token, { organization: third });
    assert.equal(await isActive(other.access_token), true);
    await admin(`organizations/${first}`, 'DELETE');
    assert.equal(await isActive(other.access_token), false);
    await assert.rejects(refresh(other.refresh_token, { organization: third }), { error: 'invalid_grant' });
  });

  test('does not make a token valid again that a change of roles ended', async () => {
    const { person, second, tokens, refresh, isActive } = await signedIn({
      scope: 'openid offline_access',
      resource: RESOURCE,
    });
    const there = await refresh(tokens.refresh_token, { organization: second });
    await admin(`organizations/${second}/members/${person.memberId}/roles`, 'PUT', { roles: [] });
    assert.equal(await isActive(there.access_token), false);
    const again = await refresh(there.refresh_token, { organization: second });
    assert.deepEqual(decodeJwt(again.access_token)['org_permissions'], []);
    assert.equal(await isActive(there.access_token), false);
  });

  test('a refresh token that is used again after its successor ends the access tokens in every organization', async () => {
    const { second, tokens, refresh, isActive } = await signedIn();
    const there = await refresh(tokens.refresh_token, { organization: second });
    const next = await refresh(there.refresh_token);
    await assert.rejects(refresh(tokens.refresh_token, { organization: second }), { error: 'invalid_grant' });
    assert.deepEqual(await Promise.all([there, next].map((told) => isActive(told.access_token))), [false, false]);
    await assert.rejects(refresh(next.refresh_token), { error: 'invalid_grant' });
  });

  test('two at once with one refresh token get the same new one, each in the organization that it names', async () => {
    const { first, second, tokens, refresh, orgOf } = await signedIn();
    const both = [first, second];
    const told = await Promise.all(both.map((organization) => refresh(tokens.refresh_token, { organization })));
    assert.equal(new Set(told.map(({ refresh_token: next }) => next)).size, 1);
    assert.deepEqual(await Promise.all(told.map(orgOf)), both);
  });

  test('returns no token that outlives a removal at the same moment', async () => {
    const { person, second, tokens, refresh, isActive } = await signedIn();
    const [there] = await Promise.allSettled([
      refresh(tokens.refresh_token, { organization: second }),
      admin(`organizations/${second}/members/${person.memberId}`, 'DELETE'),
    ]);
    if (there.status === 'fulfilled') assert.equal(await isActive(there.value.access_token), false);
    else assert.match(JSON.stringify(there.reason), /access_denied|invalid_grant/);
  });
});

describe('organization in other token requests', () => {
  test('a code confirms its own organization and no other', async () => {
    const person = await newPerson();
    const [first, second] = [await newOrganization(person), await newOrganization(person)];
    const exchange = async (organization: string) => {
      const flow = await codeFlow(latchkey, { scope: SCOPE, organization: first }, own);
      const page = await signInOn(latchkey, flow, person);
      const { code_verifier, state, nonce } = flow.parameters;
      return client.authorizationCodeGrant(
        flow.configuration,
        new URL(page.url),
        { pkceCodeVerifier: code_verifier, expectedState: state, expectedNonce: nonce },
        { organization },
      );
    };
    assert.ok((await exchange(first)).access_token);
    await assert.rejects(exchange(second), { error: 'invalid_request' });
  });

  test('an application that acts for a person stays in the organization of their token', async () => {
    const { first, second, flow, tokens } = await signedIn({}, acting);
    const exchanged = (organization: string) =>
      client.genericGrantRequest(flow.configuration, EXCHANGE, {
        subject_token: tokens.access_token,
        subject_token_type: ACCESS_TOKEN,
        resource: RESOURCE,
        organization,
      });
    assert.equal(decodeJwt((await exchanged(first)).access_token)['org_id'], first);
    await assert.rejects(exchanged(second), { error: 'invalid_request' });
  });

  test('an application has none of its own', async () => {
    const { body } = await admin('applications', 'POST', {
      kind: 'management',
      name: 'Sync',
      permissions: ['members:read'],
    });
    const [project] = latchkey.demo.projects;
    const { status, body: refused } = await latchkey.auth('/connect/token', {
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: body.clientId,
        client_secret: body.secret,
        workspaceId: latchkey.demo.workspaceId,
        projectId: project?.id ?? '',
        environment: 'test',
        organization: 'acme',
      }),
    });
    assert.deepEqual([status, refused.error], [400, 'invalid_request']);
    assert.match(refused.error_description, /no organization of its own/);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { newApplication } from '#tests/apis.ts';
import { ownerToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, returned, signInOn, userInfoOf } from '#tests/oidc.ts';

const RESOURCE = 'https://api.orders.example';
const SCOPE = 'openid organization offline_access';

let latchkey: TestLatchkey;
let token: string;
let own: { clientId: string; secret: string };
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await admin('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
  await admin('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
  const scopes = [{ name: 'orders:refund', description: 'Refund' }];
  await admin('apis', 'POST', { identifier: RESOURCE, name: 'Orders', requirePermissions: true, scopes });
  own = await newClient({ apis: [{ identifier: RESOURCE, scopes: ['orders:refund'] }] });
});
after(() => latchkey.stop());

async function newClient(values: Record<string, unknown>) {
  const { clientId, secret } = await newApplication(latchkey, values);
  return { clientId, secret: secret ?? '' };
}

const admin = (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });

let slugs = 0;
async function newMembership(roles: string[] = ['billing'], person?: Awaited<ReturnType<typeof newPerson>>) {
  slugs += 1;
  const slug = `customer-${slugs}`;
  const member = person ?? (await newPerson());
  const { body } = await admin('organizations', 'POST', { name: `Customer ${slugs}`, slug });
  const added = await admin(`organizations/${body.id}/members`, 'POST', { memberId: member.memberId, roles });
  assert.equal(added.status, 201, added.text);
  return { person: member, slug, organizationId: String(body.id) };
}

async function newPerson() {
  const person = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(person.email)}`);
  return { email: person.email, memberId: String(body.items[0].id) };
}

/** Signs a person in at an application for an organization. */
async function signedIn(
  at: { person: { email: string }; slug: string },
  asked: Record<string, string> = {},
  application = own,
) {
  const flow = await codeFlow(latchkey, { scope: SCOPE, organization: at.slug, ...asked }, application);
  const browser = browserOf(latchkey);
  const tokens = await flow.finish(await signInOn(latchkey, flow, at.person, browser));
  return { flow, browser, tokens };
}

const introspected = (flow: { configuration: client.Configuration }, value: string) =>
  client.tokenIntrospection(flow.configuration, value);

describe('signing in for an organization', () => {
  test('adds the claims about it to tokens, introspection and userinfo, also after a refresh', async () => {
    const at = await newMembership();
    const { flow, tokens } = await signedIn(at);
    const claims = {
      org_id: at.organizationId,
      org_name: `Customer ${slugs}`,
      org_slug: at.slug,
      org_roles: ['billing'],
      org_permissions: ['orders:refund'],
    };
    const of = (told: object) => Object.fromEntries(Object.entries(told).filter(([name]) => name.startsWith('org_')));
    assert.deepEqual(of(await userInfoOf(flow, tokens)), claims);
    const found = await introspected(flow, tokens.access_token);
    assert.deepEqual([found.active, of(found)], [true, claims]);
    const refreshed = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
    assert.deepEqual(of(await userInfoOf(flow, refreshed)), claims);
    const announced = flow.configuration.serverMetadata();
    assert.ok(announced.scopes_supported?.includes('organization'));
    assert.deepEqual(
      Object.keys(claims).filter((claim) => !announced.claims_supported?.includes(claim)),
      [],
    );
  });

  test('adds these claims to the token of an API, but no scope for a permission in the organization', async () => {
    const at = await newMembership();
    const { tokens } = await signedIn(at, { scope: 'openid orders:refund', resource: RESOURCE });
    const { org_id, org_permissions, permissions, scope } = decodeJwt(tokens.access_token);
    assert.deepEqual([org_id, org_permissions, permissions], [at.organizationId, ['orders:refund'], []]);
    assert.ok(!String(scope ?? '').includes('orders:refund'));
  });

  test('works with its id, too; without the parameter there are no claims', async () => {
    const at = await newMembership();
    const { flow, tokens } = await signedIn({ ...at, slug: at.organizationId });
    assert.equal((await userInfoOf(flow, tokens))['org_id'], at.organizationId);
    const plain = await codeFlow(latchkey, { scope: SCOPE }, own);
    const finished = await plain.finish(await signInOn(latchkey, plain, at.person));
    assert.equal((await userInfoOf(plain, finished))['org_id'], undefined);
  });

  test('keeps the tokens of two organizations apart in one browser', async () => {
    const first = await newMembership();
    const second = await newMembership(['owner'], first.person);
    const { flow, browser, tokens } = await signedIn(first);
    const there = await codeFlow(latchkey, { scope: SCOPE, organization: second.slug }, own);
    const others = await there.finish(await browser.open(there.url));
    const again = await codeFlow(latchkey, { scope: SCOPE, organization: first.slug, prompt: 'none' }, own);
    const back = await again.finish(await browser.open(again.url));
    const refreshed = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
    const named = await Promise.all(
      [refreshed, others, back].map(async (told) => (await userInfoOf(flow, told))['org_slug']),
    );
    assert.deepEqual(named, [first.slug, second.slug, first.slug]);
  });

  test('tells a third-party application the id only, unless the person consents to the scope', async () => {
    const at = await newMembership();
    const theirs = await newClient({ firstParty: false });
    const flow = await codeFlow(latchkey, { scope: 'openid', organization: at.slug }, theirs);
    const browser = browserOf(latchkey);
    const consent = await signInOn(latchkey, flow, at.person, browser);
    const tokens = await flow.finish(await browser.submit(consent, { decision: 'allow' }));
    const { sub: _sub, workspace_id: _workspace, project_id: _project, ...told } = await userInfoOf(flow, tokens);
    assert.deepEqual(told, { org_id: at.organizationId });
  });
});

describe('an application gets no code for an organization', () => {
  async function refusedFor(person: { email: string }, organization: string): Promise<string | undefined> {
    const flow = await codeFlow(latchkey, { scope: SCOPE, organization }, own);
    return returned((await signInOn(latchkey, flow, person)).url)['error'];
  }

  test('that the person is not in, or that does not exist', async () => {
    const [member, { slug }] = [await newMembership(), await newMembership()];
    assert.equal(await refusedFor(member.person, slug), 'access_denied');
    assert.equal(await refusedFor(member.person, 'unknown'), 'access_denied');
  });

  test('that is blocked', async () => {
    const { person, slug, organizationId } = await newMembership();
    await admin(`organizations/${organizationId}/block`, 'POST');
    assert.equal(await refusedFor(person, slug), 'access_denied');
  });

  test('that is not named by an id or slug', async () => {
    const flow = await codeFlow(latchkey, { organization: "acme' or 1=1" }, own);
    assert.equal(returned((await browserOf(latchkey).open(flow.url)).url)['error'], 'invalid_request');
  });
});

describe('the grant of an application for an organization', () => {
  test('ends with the membership; the browser stays signed in', async () => {
    const at = await newMembership();
    const { flow, browser, tokens } = await signedIn(at);
    const removed = await admin(`organizations/${at.organizationId}/members/${at.person.memberId}`, 'DELETE');
    assert.equal(removed.status, 204);
    assert.equal((await introspected(flow, tokens.access_token)).active, false);
    await assert.rejects(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
    const plain = await codeFlow(latchkey, { scope: SCOPE, prompt: 'none' }, own);
    assert.equal((await userInfoOf(plain, await plain.finish(await browser.open(plain.url))))['org_id'], undefined);
  });

  test('gives no tokens for a code that is exchanged after the organization was deleted', async () => {
    const at = await newMembership();
    const flow = await codeFlow(latchkey, { scope: SCOPE, organization: at.slug }, own);
    const page = await signInOn(latchkey, flow, at.person);
    await admin(`organizations/${at.organizationId}`, 'DELETE');
    await assert.rejects(flow.finish(page), { error: 'invalid_grant' });
  });

  test('is renewed when the roles change: access tokens become invalid, and a refresh returns the new roles', async () => {
    const at = await newMembership();
    const { flow, tokens } = await signedIn(at);
    const api = await signedIn(at, { scope: 'openid', resource: RESOURCE });
    const path = `organizations/${at.organizationId}/members/${at.person.memberId}/roles`;
    assert.equal((await admin(path, 'PUT', { roles: ['owner'] })).status, 200);
    assert.equal((await introspected(flow, tokens.access_token)).active, false);
    assert.equal((await introspected(api.flow, api.tokens.access_token)).active, false);
    const refreshed = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
    assert.deepEqual((await userInfoOf(flow, refreshed))['org_roles'], ['owner']);
  });
});

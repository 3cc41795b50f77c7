import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Company, newCompany, signInThrough } from '#tests/connections.ts';
import {
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

/** A company whose people join through its connection. */
async function openCompany(more: Record<string, unknown> = {}): Promise<Company> {
  const company = await newCompany(latchkey, { issuer: upstream.issuer });
  await company.change({ status: 'enabled', justInTime: true, ...more });
  return company;
}
const visit = ({ connectionId }: Company, claims: Issuer['claims']) =>
  signInThrough(latchkey, upstream, { connectionId, claims });
const someone = () => crypto.randomUUID();
const login = (email: string) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });

describe('a required connection', () => {
  test('refuses every other way into its organization to people at its domain, and to those linked there', async () => {
    const company = await openCompany({ required: true });
    const email = company.newEmail();
    await prove(latchkey, await register(latchkey, { email }));
    await visit(company, { sub: 'linked', email });
    const { body } = await login(email);
    const { workspaceId, projectId } = body.session;
    const target = { workspaceId, projectId, environment: 'test', organizationId: company.organizationId };
    const enter = (token: string) => latchkey.auth('/v1/sessions/switch-context', { token, body: target });
    expectProblem(await enter(body.access_token), 403, 'ORGANIZATION_METHOD');
    const token = (await login(email)).body.access_token;
    const { body: links } = await latchkey.api('/v1/me/linked-identities', { token });
    const unlinked = await latchkey.api(`/v1/me/linked-identities/${links.items[0].id}`, { token, method: 'DELETE' });
    expectProblem(unlinked, 403, 'AUTHORIZATION_DENIED');
    await latchkey.system.pool.query(`update identifiers set value = $1 where value = $2`, [newEmail(), email]);
    expectProblem(await enter(body.access_token), 403, 'ORGANIZATION_METHOD');
    const guest = await prove(latchkey, await register(latchkey));
    const members = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(guest.email)}`, {
      token: await managementToken(latchkey),
    });
    assert.equal((await company.call('/members', 'POST', { memberId: members.body.items[0].id })).status, 201);
    assert.equal((await enter((await login(guest.email)).body.access_token)).status, 200);
  });

  test('decides sessions again that are in the organization when it becomes required', async () => {
    const company = await openCompany();
    const email = company.newEmail();
    await prove(latchkey, await register(latchkey, { email }));
    await visit(company, { sub: someone(), email });
    const { body } = await login(email);
    const { workspaceId, projectId } = body.session;
    const target = { workspaceId, projectId, environment: 'test', organizationId: company.organizationId };
    const inside = await latchkey.auth('/v1/sessions/switch-context', { token: body.access_token, body: target });
    assert.equal(inside.status, 200, inside.text);
    await company.change({ required: true });
    const refreshed = await latchkey.auth('/v1/sessions/refresh', {
      body: { refresh_token: inside.body.refresh_token },
    });
    expectProblem(refreshed, 403, 'ORGANIZATION_METHOD');
  });
});

describe('the discovery of a connection', () => {
  const discover = async (body: Record<string, unknown>) => {
    const { clientId } = latchkey.demo.environments.test;
    const response = await latchkey.auth('/v1/auth/login/connections/discover', { body: { clientId, ...body } });
    assert.equal(response.status, 200, response.text);
    return response.body.connection;
  };

  test('answers the same with and without an account, and only while the connection is enabled', async () => {
    const company = await openCompany({ required: true });
    const known = company.newEmail();
    await register(latchkey, { email: known });
    const expected = { id: company.connectionId, organizationId: company.organizationId, required: true };
    for (const email of [known, company.newEmail(), company.newEmail().toUpperCase()]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { name: _name, ...found } = await discover({ email });
      assert.deepEqual(found, expected, email);
    }
    assert.equal((await discover({ organizationId: company.organizationId })).id, company.connectionId);
    const other = await openCompany();
    const nobody = [
      { email: newEmail() },
      { email: 'no address' },
      { email: `a@sub.${company.host}` },
      { email: known, organizationId: other.organizationId },
      {},
    ];
    for (const asked of nobody) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal(await discover(asked), null, JSON.stringify(asked));
    }
    await company.change({ status: 'disabled' });
    assert.equal(await discover({ email: known }), null);
  });
});

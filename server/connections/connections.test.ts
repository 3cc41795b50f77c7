import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, managementToken, ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { staffProject, tenantManagementToken } from '#tests/tenants.ts';

let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await call('organization-roles', 'POST', { key: 'staff', name: 'Staff' });
  await call('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
  await call('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
});
after(() => latchkey.stop());

const call = (path: string, method = 'GET', body?: unknown, as = token) =>
  latchkey.api(`/v1/admin/${path}`, { token: as, method, ...(body !== undefined && { body }) });
const newOrganization = async (): Promise<string> => (await call('organizations', 'POST', { name: 'Acme' })).body.id;
const OIDC = { issuer: 'https://login.acme.example', clientId: 'latchkey', clientSecret: 'very secret' };

async function add(organizationId: string, body: Record<string, unknown> = {}) {
  const path = `organizations/${organizationId}/connections`;
  const response = await call(path, 'POST', { name: 'Acme Entra ID', oidc: OIDC, ...body });
  assert.equal(response.status, 201, response.text);
  return { ...response.body, path: `${path}/${response.body.id}` };
}

describe('a connection of an organization', () => {
  test('is added, listed, changed and removed; its secret is never shown', async () => {
    const organizationId = await newOrganization();
    const { path, ...connection } = await add(organizationId);
    const { id, createdAt: _created, updatedAt: _updated, callbackUrl, callbackUrls, ...rest } = connection;
    assert.deepEqual(rest, {
      organizationId,
      kind: 'oidc',
      name: 'Acme Entra ID',
      status: 'disabled',
      required: false,
      justInTime: false,
      roles: [],
      groupRoles: {},
      attributes: {
        email: 'email',
        givenName: 'given_name',
        familyName: 'family_name',
        displayName: 'name',
        groups: 'groups',
      },
      saml: null,
      oidc: {
        issuer: OIDC.issuer,
        clientId: 'latchkey',
        scopes: ['openid', 'email', 'profile'],
        hasSecret: true,
        clientAuthentication: 'client_secret',
        jwksUrl: null,
        keyIds: [],
      },
    });
    const auth = latchkey.system.config.addresses.test.auth;
    assert.equal(callbackUrl, `${auth}/v1/auth/login/connections/${id}/callback`);
    assert.deepEqual(callbackUrls, [callbackUrl]);
    assert.deepEqual((await call(`organizations/${organizationId}/connections`)).body.items, [connection]);
    const read = await call(path);
    assert.deepEqual(read.body, connection);
    const changes = {
      status: 'enabled',
      required: true,
      justInTime: true,
      roles: ['staff'],
      attributes: { groups: 'roles' },
    };
    const changed = await call(path, 'PATCH', { ...changes, oidc: { clientId: 'other' } });
    assert.deepEqual(
      [changed.body.status, changed.body.required, changed.body.justInTime, changed.body.roles],
      ['enabled', true, true, ['staff']],
      changed.text,
    );
    assert.deepEqual([changed.body.attributes.email, changed.body.attributes.groups], ['email', 'roles']);
    assert.deepEqual([changed.body.oidc.clientId, changed.body.oidc.hasSecret], ['other', true]);
    assert.equal((await call(path, 'DELETE')).status, 204);
    expectProblem(await call(path), 404, 'NOT_FOUND');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'connectionId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['created', 'updated', 'deleted'].map((what) => `organization.connection.${what}`),
    );
    for (const { text } of [read, changed]) assert.doesNotMatch(text, /"(?:client)?secret":|very secret/i);
  });

  test('changes only from the version that was read', async () => {
    const { path } = await add(await newOrganization());
    const etag = (await call(path)).headers.get('etag') ?? '';
    const rename = (name: string) =>
      latchkey.api(`/v1/admin/${path}`, { token, method: 'PATCH', body: { name }, headers: { 'if-match': etag } });
    assert.equal((await rename('First')).status, 200);
    expectProblem(await rename('Second'), 412, 'PRECONDITION_FAILED');
  });

  test('needs exactly one kind, an issuer, the scope openid and known roles other than owner', async () => {
    const path = `organizations/${await newOrganization()}/connections`;
    const refused = async (body: Record<string, unknown>) =>
      expectProblem(await call(path, 'POST', { name: 'Acme', oidc: OIDC, ...body }), 400, 'VALIDATION_FAILED');
    await refused({ oidc: undefined });
    await refused({ oidc: { clientId: 'latchkey' } });
    await refused({ oidc: { ...OIDC, issuer: 'javascript:alert(1)' } });
    await refused({ oidc: { ...OIDC, scopes: ['email'] } });
    await refused({ oidc: { ...OIDC, tokenEndpoint: 'https://evil.example' } });
    await refused({ roles: ['unknown'] });
    await refused({ roles: ['owner'] });
    await refused({ groupRoles: { Engineering: ['owner'] } });
    await refused({ groupRoles: { Engineering: ['unknown'] } });
    await refused({ name: ' ' });
    const { body } = await call(path);
    assert.deepEqual(body.items, []);
  });

  test('keeps its secret for the origin that it was given for', async () => {
    const { path } = await add(await newOrganization());
    const evil = { issuer: 'https://evil.example' };
    expectProblem(await call(path, 'PATCH', { oidc: evil }), 400, 'VALIDATION_FAILED');
    assert.equal((await call(path, 'PATCH', { oidc: { issuer: `${OIDC.issuer}/tenant` } })).status, 200);
    const moved = await call(path, 'PATCH', { oidc: { ...evil, clientSecret: 'new' } });
    assert.equal(moved.body.oidc.issuer, evil.issuer, moved.text);
  });

  test('is unknown in other organizations, projects and environments', async () => {
    const [organizationId, other] = [await newOrganization(), await newOrganization()];
    const { id, path } = await add(organizationId);
    expectProblem(await call(`organizations/${other}/connections/${id}`), 404, 'NOT_FOUND');
    expectProblem(await call(`organizations/${other}/connections/${id}`, 'PATCH', { name: 'Mine' }), 404, 'NOT_FOUND');
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const neighbour = await tenantManagementToken(latchkey, await staffProject(latchkey, second.id, 'connections'));
    expectProblem(await call(path, 'GET', undefined, neighbour), 404, 'NOT_FOUND');
    expectProblem(await call(path, 'DELETE', undefined, neighbour), 404, 'NOT_FOUND');
    expectProblem(await call(path, 'PATCH', { name: 'Mine' }, neighbour), 404, 'NOT_FOUND');
    assert.equal((await call(path)).body.name, 'Acme Entra ID');
  });

  test('is changed only by those who may change identity providers and have what its roles grant', async () => {
    const organizationId = await newOrganization();
    const { path } = await add(organizationId, { roles: ['billing'] });
    const only = (...permissions: string[]) => managementToken(latchkey, permissions.join(' '));
    const weak = await only('organizations:read', 'organizations:write');
    expectProblem(await call(path, 'PATCH', { name: 'Mine' }, weak), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(path, 'DELETE', undefined, weak), 403, 'AUTHORIZATION_DENIED');
    const noRefund = await only('organizations:read', 'organizations:write', 'providers:write');
    expectProblem(await call(path, 'PATCH', { roles: [] }, noRefund), 403, 'AUTHORIZATION_DENIED');
    const list = `organizations/${organizationId}/connections`;
    const groupRoles = { Finance: ['billing'] };
    expectProblem(
      await call(list, 'POST', { name: 'Mine', oidc: OIDC, groupRoles }, noRefund),
      403,
      'AUTHORIZATION_DENIED',
    );
    assert.equal((await call(list, 'POST', { name: 'Plain', oidc: OIDC }, noRefund)).status, 201);
    assert.deepEqual((await call(path)).body.roles, ['billing']);
  });
});

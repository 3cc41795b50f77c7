import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startDomains } from '#tests/domains.ts';
import { expectProblem, managementToken, newEmail, ownerToken, PASSWORD, prove, register } from '#tests/harness.ts';
import { expectRefusal, newDirectory, type TestDirectory } from '#tests/scim.ts';
import { recheckOrganizationDomains } from './organization-domain-checks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { latchkey, dns, clock, publish, eventsAbout, stop } = await startDomains();
after(stop);
let token: string;
before(async () => {
  token = await ownerToken(latchkey);
  await call('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
  await call('organization-roles', 'POST', { key: 'billing', name: 'Billing', permissions: ['orders:refund'] });
  await call('organization-roles', 'POST', { key: 'staff', name: 'Staff' });
});

const call = (path: string, method = 'GET', body?: unknown, as = token) =>
  latchkey.api(`/v1/admin/${path}`, { token: as, method, ...(body !== undefined && { body }) });
let made = 0;
const newHost = () => {
  made += 1;
  return `company${made}.example`;
};
const newOrganization = async (): Promise<string> => (await call('organizations', 'POST', { name: 'Acme' })).body.id;
const domains = (organizationId: string) => `organizations/${organizationId}/domains`;

async function claim(organizationId: string, host: string) {
  const { status, body, text } = await call(domains(organizationId), 'POST', { host });
  assert.equal(status, 201, text);
  return { ...body, path: `${domains(organizationId)}/${body.id}` };
}
async function verified(organizationId: string, host: string) {
  const domain = await claim(organizationId, host);
  publish(domain);
  const response = await call(`${domain.path}/verify`, 'POST');
  assert.equal(response.status, 200, response.text);
  return domain;
}
async function pass(milliseconds: number): Promise<void> {
  clock.advance(milliseconds);
  token = await ownerToken(latchkey);
}
const signIn = (email: string) => latchkey.auth('/v1/auth/login/password', { body: { email, password: PASSWORD } });
/** A person with a verified address. */
const newPerson = async (host: string) =>
  prove(latchkey, await register(latchkey, { email: `person-${newEmail().split('@')[0]}@${host}` }));
const mine = async (as: string): Promise<[string, string[]][]> =>
  (await latchkey.api('/v1/me/organizations', { token: as })).body.items.map(
    ({ id, roles }: { id: string; roles: string[] }) => [id, roles],
  );

describe('a mail domain of an organization', () => {
  test('is claimed, verified by its TXT record, changed and removed, with an event for each', async () => {
    const [organizationId, host] = [await newOrganization(), newHost()];
    const domain = await claim(organizationId, host.toUpperCase());
    assert.deepEqual(
      [domain.host, domain.status, domain.autoJoin, domain.roles, domain.verification.name],
      [host, 'pending', false, [], `_latchkey-verification.${host}`],
    );
    const refused = await call(`${domain.path}/verify`, 'POST');
    expectProblem(refused, 409, 'DOMAIN_NOT_VERIFIED');
    publish(domain);
    assert.equal((await call(`${domain.path}/verify`, 'POST')).body.status, 'verified');
    const changed = await call(domain.path, 'PATCH', { autoJoin: true, roles: ['staff'] });
    assert.deepEqual([changed.body.autoJoin, changed.body.roles], [true, ['staff']]);
    assert.deepEqual((await call(domains(organizationId))).body.items, [changed.body]);
    assert.equal((await call(domain.path, 'DELETE')).status, 204);
    expectProblem(await call(domain.path), 404, 'NOT_FOUND');
    assert.deepEqual(
      await eventsAbout(domain.id),
      ['created', 'verified', 'updated', 'deleted'].map((what) => `organization.domain.${what}`),
    );
  });

  test('is looked up daily; only a look-up on request is an event', async () => {
    const domain = await verified(await newOrganization(), newHost());
    await pass(DAY_MS);
    await recheckOrganizationDomains(latchkey.system);
    assert.equal(Date.parse((await call(domain.path)).body.checkedAt), clock.now().getTime());
    const types = ['created', 'verified'].map((what) => `organization.domain.${what}`);
    assert.deepEqual(await eventsAbout(domain.id), types);
    assert.equal((await call(`${domain.path}/verify`, 'POST')).status, 200);
    assert.deepEqual(await eventsAbout(domain.id), [...types, 'organization.domain.checked']);
  });

  test('cannot be a consumer mail service or an invalid host, and is added only once', async () => {
    const [organizationId, host] = [await newOrganization(), newHost()];
    for (const refused of ['gmail.com', 'GMX.de', 'localhost', 'ada@example.com', 'example']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await call(domains(organizationId), 'POST', { host: refused }), 400, 'VALIDATION_FAILED');
    }
    await claim(organizationId, host);
    expectProblem(await call(domains(organizationId), 'POST', { host }), 409, 'ALREADY_EXISTS');
    expectProblem(await call(domains('org_01kaz3w9hqf8p9n2m4v5x6y7z8'), 'POST', { host }), 404, 'NOT_FOUND');
  });

  test('belongs to one organization until that organization removes the record', async () => {
    const [holder, other, host] = [await newOrganization(), await newOrganization(), newHost()];
    const held = await verified(holder, host);
    const claimed = await claim(other, host);
    publish(claimed);
    expectProblem(await call(`${claimed.path}/verify`, 'POST'), 409, 'ALREADY_EXISTS');
    await pass(HOUR_MS);
    await recheckOrganizationDomains(latchkey.system);
    assert.deepEqual((await call(held.path)).body.status, 'verified', 'one look-up may coincide with a change');
    await pass(HOUR_MS);
    await recheckOrganizationDomains(latchkey.system);
    const lost = (await call(held.path)).body;
    assert.equal(lost.status, 'lost');
    assert.notEqual(lost.verification.value, held.verification.value);
    assert.equal((await call(`${claimed.path}/verify`, 'POST')).body.status, 'verified');
    publish(held);
    expectProblem(await call(`${held.path}/verify`, 'POST'), 409, 'DOMAIN_NOT_VERIFIED');
  });

  test('only one of two organizations that verify it at once gets it', async () => {
    const host = newHost();
    const claims = await Promise.all(
      (await Promise.all([newOrganization(), newOrganization()])).map((id) => claim(id, host)),
    );
    dns.zone.set(
      `_latchkey-verification.${host}`,
      claims.map(({ verification }) => [verification.value]),
    );
    const responses = await Promise.all(claims.map(({ path }) => call(`${path}/verify`, 'POST')));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
  });

  test('gives only roles that its administrator may give, and never the role of an owner', async () => {
    const organizationId = await newOrganization();
    const { path } = await claim(organizationId, newHost());
    const clerk = await managementToken(latchkey, 'organizations:write');
    expectProblem(await call(path, 'PATCH', { roles: ['billing'] }, clerk), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await call(path, 'PATCH', { roles: ['owner'] }), 400, 'VALIDATION_FAILED');
    expectProblem(await call(path, 'PATCH', { roles: ['absent'] }), 400, 'VALIDATION_FAILED');
    assert.equal((await call(path, 'PATCH', { roles: ['billing'] })).status, 200);
    expectProblem(await call(path, 'PATCH', { roles: [] }, clerk), 403, 'AUTHORIZATION_DENIED');
  });

  test('keeps its roles from being deleted, so that another role with the same key is not given', async () => {
    const { path } = await claim(await newOrganization(), newHost());
    await call('organization-roles', 'POST', { key: 'guest', name: 'Guest' });
    assert.equal((await call(path, 'PATCH', { roles: ['guest'] })).status, 200);
    expectProblem(await call('organization-roles/guest', 'DELETE'), 409, 'CONFLICT');
    assert.equal((await call(path, 'PATCH', { roles: [] })).status, 200);
    assert.equal((await call('organization-roles/guest', 'DELETE')).status, 204);
  });
});

describe('people join an organization by its domain', () => {
  test('when they sign in with a verified address at it; a removed member does not join again', async () => {
    const [organizationId, host] = [await newOrganization(), newHost()];
    const { path } = await verified(organizationId, host);
    const person = await newPerson(host);
    await signIn(person.email);
    assert.deepEqual(await mine(person.access_token), [], 'joining by the domain is off');
    await call(path, 'PATCH', { autoJoin: true, roles: ['staff'] });
    await signIn(person.email);
    assert.deepEqual(await mine(person.access_token), [[organizationId, ['staff']]]);
    const [member] = (await call(`organizations/${organizationId}/members`)).body.items;
    await call(`organizations/${organizationId}/members/${member.memberId}`, 'DELETE');
    assert.equal((await signIn(person.email)).status, 200);
    assert.deepEqual(await mine(person.access_token), [], 'a removed member does not join again');
  });

  test('not with an unverified address, one at a subdomain, or in another environment', async () => {
    const [organizationId, host] = [await newOrganization(), newHost()];
    const { path } = await verified(organizationId, host);
    await call(path, 'PATCH', { autoJoin: true });
    const unverified = await register(latchkey, { email: `unverified@${host}` });
    await signIn(unverified.email);
    const below = await newPerson(`mail.${host}`);
    await signIn(below.email);
    const beside = await newPerson(`not${host}`);
    await signIn(beside.email);
    assert.deepEqual((await call(`organizations/${organizationId}/members`)).body.items, []);
  });

  test('not while the domain is unproven, or the organization is blocked; the sign-in goes on', async () => {
    const [organizationId, host] = [await newOrganization(), newHost()];
    const { path } = await claim(organizationId, host);
    await call(path, 'PATCH', { autoJoin: true });
    const person = await newPerson(host);
    assert.equal((await signIn(person.email)).status, 200);
    const other = await verified(await newOrganization(), newHost());
    await call(other.path, 'PATCH', { autoJoin: true });
    await call(`${other.path.split('/domains')[0]}/block`, 'POST');
    const theirs = await newPerson(other.host);
    assert.equal((await signIn(theirs.email)).status, 200);
    assert.deepEqual(await Promise.all([person, theirs].map(({ access_token }) => mine(access_token))), [[], []]);
  });
});

describe('the owner of an organization', () => {
  test('manages its domains and limits invitations to them; an admin only sees them', async () => {
    const [organizationId, host] = [await newOrganization(), newHost()];
    const insiders = await Promise.all(
      ['owner', 'admin'].map(async (role) => {
        const person = await register(latchkey);
        const { body } = await call(`members?q=${encodeURIComponent(person.email)}`);
        await call(`organizations/${organizationId}/members`, 'POST', { memberId: body.items[0].id, roles: [role] });
        return person.access_token;
      }),
    );
    const [owner = '', admin = ''] = insiders;
    const own = (path: string, method = 'GET', body?: unknown, as = owner) =>
      latchkey.api(`/v1/me/organizations/${organizationId}${path}`, {
        token: as,
        method,
        ...(body !== undefined && { body }),
      });
    expectProblem(await own('/domains', 'POST', { host }, admin), 403, 'AUTHORIZATION_DENIED');
    const added = await own('/domains', 'POST', { host });
    assert.equal(added.status, 201, added.text);
    publish(added.body);
    const path = `/domains/${added.body.id}`;
    expectProblem(await own(`${path}/verify`, 'POST', undefined, admin), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await own(`${path}/verify`, 'POST')).body.status, 'verified');
    expectProblem(await own(path, 'PATCH', { roles: ['billing'] }), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await own(path, 'PATCH', { autoJoin: true, roles: ['admin'] })).status, 200);
    assert.equal((await own('/domains', 'GET', undefined, admin)).body.items.length, 1);
    assert.equal((await own('', 'PATCH', { invitesVerifiedDomainsOnly: true })).status, 200);
    const invite = (email: string) => own('/invitations', 'POST', { email }, admin);
    expectProblem(await invite(`someone@sub.${host}`), 400, 'VALIDATION_FAILED');
    assert.equal((await invite(`someone@${host}`)).status, 201);
    const asProject = { email: newEmail(), organizationId };
    expectProblem(await call('invitations', 'POST', asProject), 400, 'VALIDATION_FAILED');
    const other = await newOrganization();
    const foreign = await claim(other, newHost());
    expectProblem(await own(`/domains/${foreign.id}`), 404, 'NOT_FOUND');
    assert.equal((await own(path, 'DELETE')).status, 204);
  });
});

describe('a directory of the organization', () => {
  test('takes in people with a verified address at a verified mail domain, and does not manage their accounts', async () => {
    const [directory, elsewhere] = [await newDirectory(latchkey), await newDirectory(latchkey)];
    const [host, foreign] = [newHost(), newHost()];
    await claim(directory.organizationId, foreign);
    await verified(directory.organizationId, host);
    const [ada, unverified, stranger] = [
      await newPerson(host),
      await register(latchkey, { email: `unverified@${host}` }),
      await newPerson(foreign),
    ];
    const add = ({ scim }: TestDirectory, userName: string) => scim('POST', '/Users', { userName, displayName: 'Eve' });
    expectRefusal(await add(elsewhere, ada.email), 409, 'uniqueness');
    expectRefusal(await add(directory, unverified.email), 409, 'uniqueness');
    expectRefusal(await add(directory, stranger.email), 409, 'uniqueness');
    const added = await add(directory, ada.email);
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(await mine(ada.access_token), [[directory.organizationId, []]]);
    const profile = (await latchkey.api('/v1/me', { token: ada.access_token })).body;
    assert.notEqual(profile.displayName, 'Eve');
    assert.equal((await directory.scim('DELETE', `/Users/${added.body.id}`)).status, 204);
    assert.deepEqual(await mine((await signIn(ada.email)).body.access_token), [], 'the account stays in the project');
  });

  test('takes in nobody who is about to be erased', async () => {
    const [directory, host] = [await newDirectory(latchkey), newHost()];
    await verified(directory.organizationId, host);
    const { email, access_token: leaving } = await newPerson(host);
    const { status, text } = await latchkey.api('/v1/me', { token: leaving, method: 'DELETE' });
    assert.equal(status, 202, text);
    expectRefusal(await directory.scim('POST', '/Users', { userName: email }), 409, 'uniqueness');
  });
});

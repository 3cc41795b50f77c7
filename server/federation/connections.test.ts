import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { createApplication } from '#applications';
import { actionsOf, allows, refuses } from '#tests/actions.ts';
import { type Company, exchange, leaveThrough, newCompany, signInThrough, startOf } from '#tests/connections.ts';
import { codesOf } from '#tests/factors.ts';
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
import { type Fault, type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf } from '#tests/oidc.ts';
import { startReceiver } from '#tests/receiver.ts';

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));
afterEach(() => {
  upstream.fault = null;
});

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

describe('a sign-in through a connection', () => {
  test('makes a new person a member with the roles of their groups, in a session of the organization', async () => {
    const company = await openCompany({ groupRoles: { Administrators: ['admin'], Others: ['admin'] } });
    const [sub, email] = [someone(), company.newEmail()];
    const claims = { sub, email, name: 'Ada Byron', groups: ['Administrators', '__proto__', 7] };
    const first = await visit(company, claims);
    assert.equal(first.status, 200, first.text);
    const { userId, organizationId, amr } = first.body.session;
    assert.deepEqual([organizationId, amr], [company.organizationId, ['fed']]);
    assert.equal(decodeJwt(first.body.access_token)['org_id'], company.organizationId);
    assert.deepEqual(
      (await company.members()).map((member) => [member.userId, member.email, member.roles]),
      [[userId, email, ['admin']]],
    );
    const again = await visit(company, { ...claims, groups: [], email: newEmail() });
    assert.equal(again.body.session.userId, userId, again.text);
    assert.deepEqual((await company.members())[0]?.roles, []);
  });

  test('with just-in-time off signs in members alone', async () => {
    const company = await openCompany({ justInTime: false });
    expectProblem(await visit(company, { sub: someone(), email: company.newEmail() }), 403, 'MEMBERSHIP_REQUIRED');
    assert.deepEqual(await company.members(), []);
    const email = company.newEmail();
    const person = await prove(latchkey, await register(latchkey, { email }));
    expectProblem(await visit(company, { sub: someone(), email }), 403, 'MEMBERSHIP_REQUIRED');
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(email)}`, { token });
    assert.equal((await company.call('/members', 'POST', { memberId: body.items[0].id })).status, 201);
    const signedIn = await visit(company, { sub: someone(), email });
    assert.equal(signedIn.body.session?.userId, person.session.userId, signedIn.text);
  });

  test('keeps people out who were removed from the organization or blocked in the project', async () => {
    const company = await openCompany();
    const claims = { sub: someone(), email: company.newEmail() };
    const { body } = await visit(company, claims);
    const members = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(claims.email)}`, {
      token: await managementToken(latchkey),
    });
    const memberId = members.body.items[0].id;
    assert.equal((await company.call(`/members/${memberId}`, 'DELETE')).status, 204);
    expectProblem(await visit(company, claims), 403, 'MEMBERSHIP_REQUIRED');
    assert.equal((await company.call('/members', 'POST', { memberId })).status, 201);
    assert.equal((await visit(company, claims)).body.session.userId, body.session.userId);
    const path = `/v1/admin/members/${memberId}/block`;
    await latchkey.api(path, { token: await managementToken(latchkey), method: 'POST' });
    expectProblem(await visit(company, claims), 403, 'MEMBER_BLOCKED');
  });

  test('that an action refuses creates no account; refused at the sign-in alone, it enters nobody', async () => {
    const receiver = await startReceiver();
    const actions = await actionsOf(latchkey, receiver);
    const company = await openCompany();
    const claims = { sub: someone(), email: company.newEmail() };
    const registering = await actions.add('registration', refuses);
    expectProblem(await visit(company, claims), 403, 'REFUSED_BY_ACTION');
    assert.deepEqual(await company.members(), []);
    receiver.on(registering.path, allows);
    const entering = await actions.add('sign_in', refuses);
    expectProblem(await visit(company, claims), 403, 'REFUSED_BY_ACTION');
    receiver.on(entering.path, allows);
    assert.equal((await visit(company, claims)).status, 200);
    const [told] = actions.bodiesAt(entering.path);
    assert.deepEqual([told.person.email, told.organizationId], [claims.email, company.organizationId]);
    await actions.removeAll();
    await receiver.stop();
  });

  test('of a new person twice at once creates one account', async () => {
    const company = await openCompany();
    const claims = { sub: someone(), email: company.newEmail() };
    const codes: (string | null)[] = [];
    for (const _ of [1, 2, 3]) {
      // biome-ignore lint/performance/noAwaitInLoops: the issuer serves one person at a time
      const { back } = await leaveThrough(latchkey, upstream, { connectionId: company.connectionId, claims });
      codes.push((await back()).code);
    }
    const responses = await Promise.all(codes.map((code) => exchange(latchkey, code)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
      responses.map(({ text }) => text).join(),
    );
    assert.equal(new Set(responses.map(({ body }) => body.session.userId)).size, 1);
    assert.equal((await company.members()).length, 1);
  });

  test('waits for the second factor that the organization requires, and then is in the organization', async () => {
    const company = await openCompany();
    assert.equal((await company.call('/policy', 'PATCH', { mfa: 'required' })).status, 200);
    const asked = await visit(company, { sub: someone(), email: company.newEmail() });
    assert.deepEqual([asked.body.status, asked.body.enrollment], ['mfa_required', ['totp']], asked.text);
    const { rows } = await latchkey.system.pool.query(
      'select organization_id, sign_in_methods from mfa_challenges where organization_id = $1',
      [company.organizationId],
    );
    assert.deepEqual(rows, [{ organization_id: company.organizationId, sign_in_methods: [company.connectionId] }]);
  });
});

describe('an address', () => {
  test('at a verified domain of the organization joins the account that has it, and ends its other sessions', async () => {
    const company = await openCompany();
    const email = company.newEmail();
    const person = await prove(latchkey, await register(latchkey, { email }));
    const { body, text } = await visit(company, { sub: someone(), email });
    assert.equal(body.session?.userId, person.session.userId, text);
    expectProblem(await latchkey.api('/v1/me/profile', { token: person.access_token }), 401, 'SESSION_REVOKED');
    assert.equal((await login(email)).status, 200, 'the password of its owner stays');
  });

  test('that its account never proved is taken over: the password of the creator is gone', async () => {
    const company = await openCompany();
    const email = company.newEmail();
    const squatter = await register(latchkey, { email });
    const { body } = await visit(company, { sub: someone(), email });
    assert.equal(body.session.userId, squatter.session.userId);
    expectProblem(await login(email), 401, 'INVALID_CREDENTIALS');
  });

  for (const [what, addressOf, verified] of [
    ['at a domain that nobody proved', () => newEmail(), true],
    ['at the domain of another organization', async () => (await openCompany()).newEmail(), true],
    ['at its own domain, of a person with a role in the project', undefined, true],
  ] as const)
    test(`${what} needs the proof of the account`, async () => {
      const company = await openCompany();
      const email = await (addressOf ?? company.newEmail)();
      const person = await prove(latchkey, await register(latchkey, { email }));
      if (!addressOf) {
        const token = await managementToken(latchkey);
        const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(email)}`, { token });
        const roles = { token, method: 'PUT', body: { roles: ['viewer'] } };
        const given = await latchkey.api(`/v1/admin/members/${body.items[0].id}/roles`, roles);
        assert.equal(given.status, 200, given.text);
      }
      const { body, text } = await visit(company, { sub: someone(), email, email_verified: verified });
      assert.equal(body.status, 'link_required', text);
      assert.equal(body.access_token, undefined);
      assert.deepEqual(await company.members(), []);
      const token = (await login(email)).body.access_token;
      const linked = await latchkey.api('/v1/me/linked-identities', { token, body: { linkToken: body.linkToken } });
      assert.equal(linked.status, 201, linked.text);
      assert.ok(linked.body.issuer.includes(company.connectionId));
      assert.notEqual(person.session.userId, undefined);
    });

  test('that the provider calls unverified, or that nobody vouches for, is not used', async () => {
    const company = await openCompany();
    const known = company.newEmail();
    const owner = await prove(latchkey, await register(latchkey, { email: known }));
    const elsewhere = newEmail();
    await prove(latchkey, await register(latchkey, { email: elsewhere }));
    for (const claims of [
      { email: known, email_verified: false },
      { email: elsewhere },
      { email: company.newEmail(), email_verified: false },
      { email: 'no address' },
      { email: 7 },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { body, text } = await visit(company, { sub: someone(), ...claims });
      assert.ok(body.session, text);
      assert.notEqual(body.session.userId, owner.session.userId);
      const profile = await latchkey.api('/v1/me/profile', { token: body.access_token });
      assert.equal(profile.body.email, null);
    }
  });
});

describe('a connection of another', () => {
  test('does not know a person by the same subject, although the issuer is the same', async () => {
    const [mine, theirs] = [await openCompany(), await openCompany()];
    const sub = someone();
    const here = await visit(mine, { sub, email: mine.newEmail() });
    const there = await visit(theirs, { sub, email: theirs.newEmail() });
    assert.notEqual(here.body.session.userId, there.body.session.userId);
  });

  test('takes back no browser that was sent to this one, and the flow is spent', async () => {
    const [mine, theirs] = [await openCompany(), await openCompany()];
    const claims = { sub: someone(), email: mine.newEmail() };
    const { back } = await leaveThrough(latchkey, upstream, { connectionId: mine.connectionId, claims });
    assert.match((await back(theirs.connectionId)).text, /INVALID_TOKEN/);
    assert.match((await back()).text, /INVALID_TOKEN/);
  });

  test('is entered neither from another browser, nor with a replayed callback or code, nor by another application', async () => {
    const company = await openCompany();
    const { connectionId } = company;
    const claims = { sub: someone(), email: company.newEmail() };
    const stolen = await leaveThrough(latchkey, upstream, { connectionId, claims });
    assert.match((await stolen.back(connectionId, browserOf(latchkey))).text, /INVALID_TOKEN/);
    const { back } = await leaveThrough(latchkey, upstream, { connectionId, claims });
    const { code } = await back();
    assert.match((await back()).text, /INVALID_TOKEN/);
    expectProblem(await exchange(latchkey, code, { codeVerifier: 'a'.repeat(43) }), 400, 'INVALID_TOKEN');
    const parallel = await Promise.all(Array.from({ length: 5 }, () => exchange(latchkey, code)));
    assert.equal(parallel.filter(({ status }) => status === 200).length, 1);
  });

  test('does not start in another project, nor for an unknown redirect address', async () => {
    const { connectionId } = await openCompany();
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const { auth } = latchkey.system.config.addresses.test;
    const at = async (url: string) => latchkey.auth(url.slice(auth.length));
    expectProblem(
      await at(startOf(latchkey, connectionId, { redirectUri: 'https://evil.example' })),
      400,
      'VALIDATION_FAILED',
    );
    const redirectUris = ['http://localhost:5173/callback'];
    const { clientId } = await latchkey.inProject(
      (tx) => createApplication(tx, { kind: 'spa', name: 'Desk', redirectUris }),
      { projectId: second.id },
    );
    expectProblem(await at(startOf(latchkey, connectionId, { clientId })), 404, 'NOT_FOUND');
    const production = await latchkey.auth(
      startOf(latchkey, connectionId, { clientId: latchkey.demo.environments.production.clientId }).slice(auth.length),
      {},
      'production',
    );
    assert.ok(production.status >= 400 && production.status < 500, production.text);
  });

  test('lets nobody into an organization or project that it is not of', async () => {
    const [mine, theirs] = [await openCompany(), await openCompany()];
    const claims = { sub: someone(), email: mine.newEmail() };
    const { body } = await visit(mine, claims);
    const members = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(claims.email)}`, {
      token: await managementToken(latchkey),
    });
    assert.equal((await theirs.call('/members', 'POST', { memberId: members.body.items[0].id })).status, 201);
    const { workspaceId, projectId } = body.session;
    const enter = (target: Record<string, unknown>) =>
      latchkey.auth('/v1/sessions/switch-context', {
        token: body.access_token,
        body: { workspaceId, projectId, environment: 'test', ...target },
      });
    expectProblem(await enter({ organizationId: theirs.organizationId }), 403, 'ORGANIZATION_METHOD');
    assert.equal((await enter({ organizationId: mine.organizationId })).status, 200);
    assert.equal((await enter({})).status, 200);
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    await latchkey.system.pool.query(
      `insert into members (workspace_id, project_id, environment, id, user_id, status, metadata, created_at)
       values ($1, $2, 'test', 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8', $3, 'active', '{}', now())`,
      [workspaceId, second.id, body.session.userId],
    );
    expectProblem(await enter({ projectId: second.id }), 401, 'REAUTHENTICATION_REQUIRED');
  });
});

describe('a connection that is disabled, removed or moved', () => {
  const ends: [string, (company: Company) => Promise<void>][] = [
    ['disabled', (company) => company.change({ status: 'disabled' })],
    ['removed', (company) => company.remove()],
    ['moved', (company) => company.change({ oidc: { issuer: `${upstream.issuer}/other` } })],
  ];
  for (const [what, end] of ends)
    test(`${what}: its sessions end, and a sign-in under way stops at each step`, async () => {
      const company = await openCompany();
      const { connectionId } = company;
      const claims = { sub: someone(), email: company.newEmail() };
      const session = (await visit(company, claims)).body;
      const away = await leaveThrough(latchkey, upstream, { connectionId, claims });
      const { code } = await (await leaveThrough(latchkey, upstream, { connectionId, claims })).back();
      await end(company);
      expectProblem(await latchkey.api('/v1/me/profile', { token: session.access_token }), 401, 'SESSION_REVOKED');
      const refreshed = await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: session.refresh_token } });
      expectProblem(refreshed, 401, 'SESSION_REVOKED');
      expectProblem(await exchange(latchkey, code), 403, 'METHOD_DISABLED');
      const back = await away.back();
      assert.deepEqual([back.code, back.error], [null, what === 'moved' ? 'server_error' : 'access_denied']);
    });

  test('while people sign in: no session outlives it, and a second factor comes too late', async () => {
    const company = await openCompany();
    const { connectionId } = company;
    const codes: (string | null)[] = [];
    for (const _ of Array.from({ length: 4 })) {
      const claims = { sub: someone(), email: company.newEmail() };
      // biome-ignore lint/performance/noAwaitInLoops: the issuer serves one person at a time
      codes.push((await (await leaveThrough(latchkey, upstream, { connectionId, claims })).back()).code);
    }
    const [responses] = await Promise.all([
      Promise.all(codes.map((code) => exchange(latchkey, code))),
      company.change({ status: 'disabled' }),
    ]);
    for (const { status, body } of responses) {
      if (status !== 200) assert.equal(body.errorCode, 'METHOD_DISABLED');
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      else expectProblem(await latchkey.api('/v1/me/profile', { token: body.access_token }), 401, 'SESSION_REVOKED');
    }
    await company.change({ status: 'enabled' });
    await company.call('/policy', 'PATCH', { mfa: 'required' });
    const { mfaToken } = (await visit(company, { sub: someone(), email: company.newEmail() })).body;
    const { body: app } = await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });
    await company.change({ status: 'disabled' });
    const code = codesOf(app.secret, { now: () => new Date() })();
    const late = await latchkey.auth('/v1/auth/mfa/enroll/confirm', { body: { mfaToken, factorId: app.id, code } });
    expectProblem(late, 401, 'REAUTHENTICATION_REQUIRED');
  });

  test('leaves the sessions of people who signed in in another way, too', async () => {
    const company = await openCompany();
    const email = company.newEmail();
    await prove(latchkey, await register(latchkey, { email }));
    await visit(company, { sub: someone(), email });
    const { body } = await login(email);
    await company.change({ status: 'disabled' });
    assert.equal((await latchkey.api('/v1/me/profile', { token: body.access_token })).status, 200);
  });

  test('of a blocked organization signs in nobody', async () => {
    const company = await openCompany();
    const claims = { sub: someone(), email: company.newEmail() };
    const away = await leaveThrough(latchkey, upstream, { connectionId: company.connectionId, claims });
    assert.equal((await company.call('/block', 'POST')).status, 200);
    assert.equal((await away.back()).error, 'access_denied');
  });
});

describe('an identity provider', () => {
  const faults: Fault[] = [
    'other audience',
    'other nonce',
    'no nonce',
    'expired',
    'other issuer',
    'other key',
    'alg none',
  ];
  for (const fault of faults)
    test(`with a fault signs nobody in: ${fault}`, async () => {
      const { connectionId } = await openCompany();
      upstream.fault = fault;
      const { back } = await leaveThrough(latchkey, upstream, { connectionId, claims: { sub: someone() } });
      assert.equal((await back()).error, 'server_error');
    });

  test('is tested without signing anybody in', async () => {
    const company = await newCompany(latchkey, { issuer: upstream.issuer });
    const tested = () => company.call(`/connections/${company.connectionId}/test`, 'POST');
    assert.equal((await tested()).body.ok, true);
    await company.change({ oidc: { issuer: `${upstream.issuer}/nothing` } });
    assert.equal((await tested()).body.ok, false);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { admin } from '#tests/apis.ts';
import { type Company, exchange, leaveThrough, newCompany, signInThrough } from '#tests/connections.ts';
import { codesOf } from '#tests/factors.ts';
import {
  expectProblem,
  mailedToken,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf, codeFlow, signInOn, userInfoOf } from '#tests/oidc.ts';
import { redirectQuery } from '#tests/saml-messages.ts';
import { authnRequestXml, newServiceProvider, sentForm, signInAtProvider } from '#tests/saml-service-provider.ts';
import { SCIM_USER } from '#tests/scim.ts';

/** Attacks on organizations: an older session or an open sign-in, after a rule changed or the organization ended. */

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

/** A company whose connection is disabled: its people sign in by password. */
const companyByPassword = () => newCompany(latchkey, { issuer: upstream.issuer });

async function openCompany(): Promise<Company> {
  const company = await companyByPassword();
  await company.change({ status: 'enabled', justInTime: true });
  return company;
}

type Member = { email: string; access_token: string; memberId: string; userId: string };

/** A person at the domain of a company who is a member of it and has a password. */
async function newMember(company: Company): Promise<Member> {
  const person = await prove(latchkey, await register(latchkey, { email: company.newEmail() }));
  const { items } = await admin(latchkey, `members?q=${encodeURIComponent(person.email)}`);
  const { id: memberId, userId } = items[0];
  assert.equal((await company.call('/members', 'POST', { memberId })).status, 201);
  return { ...person, memberId, userId };
}

/** What a member has or has begun in a company, all by password. Each `use` says whether it still works. */
async function waysIn(company: Company, member: Member) {
  const { organizationId } = company;
  const at = { scope: 'openid offline_access', organization: organizationId };
  const flow = await codeFlow(latchkey, at);
  const browser = browserOf(latchkey);
  const tokens = await flow.finish(await signInOn(latchkey, flow, member, browser));
  const open = await codeFlow(latchkey, at);
  const page = await browser.open(open.url);
  const service = await newServiceProvider(latchkey, { organizationId });
  const { page: signedIn } = await signInAtProvider(latchkey, service, { person: member, browser });
  assert.equal(sentForm(signedIn).status, 'Success');
  const begun = await latchkey.auth(`/saml/${service.clientId}/sign-in?${redirectQuery(authnRequestXml(service))}`);
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const { auth } = latchkey.system.config.addresses.test;
  const { workspaceId, projects } = latchkey.demo;
  const target = { workspaceId, projectId: projects[0]?.id, environment: 'test', organizationId };
  const enter = (token: string) => latchkey.auth('/v1/sessions/switch-context', { token, body: target });
  const project = await latchkey.auth('/v1/auth/login/password', {
    body: { identifier: member.email, password: PASSWORD },
  });
  const inside = await enter(project.body.access_token);
  assert.equal(inside.status, 200, inside.text);
  const works = (attempt: Promise<unknown>) => attempt.then(() => true).catch(() => false);
  return {
    'a refresh of a session in it': async () =>
      (await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: inside.body.refresh_token } })).status ===
      200,
    'an access token of a session in it': async () =>
      (await latchkey.api('/v1/me/context', { token: inside.body.access_token })).status === 200,
    'switch-context from the project': async () => (await enter(project.body.access_token)).status === 200,
    'user info of an application': () => works(userInfoOf(flow, tokens)),
    'a refresh of an application': () => works(refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '')),
    'a code that waits for its exchange': () => works(open.finish(page)),
    'an assertion for an application by SAML': async () => {
      const back = await browser.open(`${auth}/saml/${service.clientId}/return?${new URLSearchParams({ state })}`);
      return back.text.includes('SAMLResponse') && sentForm(back).status === 'Success';
    },
  };
}

/** The names of the ways in that let the person in. */
async function working(ways: Awaited<ReturnType<typeof waysIn>>): Promise<string[]> {
  const found: string[] = [];
  for (const [name, use] of Object.entries(ways)) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    if (await use()) found.push(name);
  }
  return found;
}

describe('after a change of their organization, what a member had or had begun by password no longer works:', () => {
  const CHANGES = {
    'its connection became required': (company: Company) => company.change({ status: 'enabled', required: true }),
    'it was blocked': (company: Company) => company.call('/block', 'POST'),
    'it was deleted': (company: Company) => company.call('', 'DELETE'),
    'it asked for two factors': (company: Company) => company.call('/policy', 'PATCH', { mfa: 'required' }),
    'the member was removed': (company: Company, { memberId }: Member) =>
      company.call(`/members/${memberId}`, 'DELETE'),
  };
  for (const [what, change] of Object.entries(CHANGES))
    test(what, async () => {
      const company = await companyByPassword();
      const member = await newMember(company);
      const ways = await waysIn(company, member);
      await change(company, member);
      assert.deepEqual(await working(ways), []);
    });

  test('everything works without a change', async () => {
    const company = await companyByPassword();
    const ways = await waysIn(company, await newMember(company));
    assert.deepEqual(await working(ways), Object.keys(ways));
  });
});

describe('a sign-in through a connection that is under way', () => {
  const ENDS = {
    'its organization is blocked': (company: Company) => company.call('/block', 'POST'),
    'its organization is deleted': (company: Company) => company.call('', 'DELETE'),
  };
  for (const [what, end] of Object.entries(ENDS))
    test(`ends when ${what}: at the identity provider, and with the code in hand`, async () => {
      const company = await openCompany();
      const { connectionId } = company;
      const leave = () =>
        leaveThrough(latchkey, upstream, { connectionId, claims: { sub: 'ada', email: company.newEmail() } });
      const { code } = await (await leave()).back();
      const { back } = await leave();
      await end(company);
      expectProblem(await exchange(latchkey, code), 403, 'METHOD_DISABLED');
      const returned = await back();
      assert.deepEqual([returned.code, returned.error], [null, 'access_denied'], returned.url);
    });

  test('ends when its connection gets another identity provider, while it waits for the second factor', async () => {
    const company = await openCompany();
    const { connectionId } = company;
    await company.call('/policy', 'PATCH', { mfa: 'required' });
    const claims = { sub: 'ada', email: company.newEmail() };
    const { mfaToken } = (await signInThrough(latchkey, upstream, { connectionId, claims })).body;
    const { body: app } = await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });
    await company.change({ oidc: { issuer: `${upstream.issuer}/other` } });
    const code = codesOf(app.secret, { now: () => new Date() })();
    const late = await latchkey.auth('/v1/auth/mfa/enroll/confirm', { body: { mfaToken, factorId: app.id, code } });
    expectProblem(late, 401, 'REAUTHENTICATION_REQUIRED');
  });

  test('is refused after a directory deactivates the person, and so is a code of an application', async () => {
    const company = await companyByPassword();
    const { body } = await company.call('/scim/tokens', 'POST', { name: 'Entra ID' });
    const scim = (method: string, path: string, sent: unknown) =>
      latchkey.api(`/scim/v2${path}`, { token: body.token, method, body: sent });
    const email = company.newEmail();
    const person = await prove(latchkey, await register(latchkey, { email }));
    const user = await scim('POST', '/Users', { schemas: [SCIM_USER], userName: email });
    assert.equal(user.status, 201, user.text);
    const flow = await codeFlow(latchkey, { organization: company.organizationId });
    const page = await signInOn(latchkey, flow, person, browserOf(latchkey));
    await company.change({ status: 'enabled', justInTime: true });
    const { connectionId } = company;
    const leave = () => leaveThrough(latchkey, upstream, { connectionId, claims: { sub: 'ada', email } });
    const { code } = await (await leave()).back();
    const deactivated = await scim('PUT', `/Users/${user.body.id}`, {
      ...{ schemas: [SCIM_USER], userName: email },
      active: false,
    });
    assert.equal(deactivated.status, 200, deactivated.text);
    const refused = await exchange(latchkey, code);
    assert.ok(refused.status === 403 || refused.status === 400, refused.text);
    await assert.rejects(flow.finish(page), { error: 'invalid_grant' });
  });
});

test('an invitation to an organization with a required connection opens the project alone', async () => {
  const company = await openCompany();
  await company.change({ required: true });
  const { organizationId } = company;
  const email = company.newEmail();
  await admin(latchkey, 'invitations', { body: { email, organizationId } });
  const accepted = await latchkey.auth('/v1/auth/invitations/accept', {
    body: { token: await mailedToken(latchkey, email), password: PASSWORD },
  });
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal(accepted.body.session.organizationId ?? null, null);
  const { workspaceId, projectId } = accepted.body.session;
  const entered = await latchkey.auth('/v1/sessions/switch-context', {
    token: accepted.body.access_token,
    body: { workspaceId, projectId, environment: 'test', organizationId },
  });
  expectProblem(entered, 403, 'ORGANIZATION_METHOD');
});

test('a domain that went to another organization vouches for nobody in the former', async () => {
  const [former, next] = [await openCompany(), await openCompany()];
  const email = former.newEmail();
  const owner = await prove(latchkey, await register(latchkey, { email }));
  await latchkey.system.pool.query('update organization_domains set organization_id = $1 where host = $2', [
    next.organizationId,
    former.host,
  ]);
  const claims = { sub: 'thief', email, email_verified: true };
  const visit = async ({ connectionId }: Company) => {
    const { back } = await leaveThrough(latchkey, upstream, { connectionId, claims });
    return exchange(latchkey, (await back()).code);
  };
  assert.equal((await visit(former)).body.status, 'link_required');
  assert.equal((await latchkey.api('/v1/me/profile', { token: owner.access_token })).status, 200);
  const { body } = await visit(next);
  assert.deepEqual([body.session.organizationId, body.session.userId], [next.organizationId, owner.session.userId]);
});

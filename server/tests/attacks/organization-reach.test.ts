import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { served } from '#hosts';
import { addMember } from '#members';
import { codesOf, totpOf } from '#tests/factors.ts';
import {
  expectProblem,
  mailedCode,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf } from '#tests/oidc.ts';
import { companyPeople } from '#tests/organization-people.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey({ clock }), startIssuer()]);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const { me, openCompany, visit, login, memberOf, join, newJoined, newGuest, newEmployee } = companyPeople(() => ({
  latchkey,
  upstream,
}));

function expectOwnProofAsked(response: TestResponse, what?: string): void {
  expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
  assert.equal(response.body.ownProof, true, `${what} ${response.text}`);
}

const ZEROS = '0'.repeat(26);
const operations = Object.values(served)
  .flat()
  .filter(({ freshProof }) => freshProof !== undefined);
/** Operations of the API that require a proof, with what stands for the parameters of their paths. */
const callsOf = (organizationId: string) =>
  operations.flatMap(({ method, path }) => {
    if (!path.startsWith('/v1/me')) return [];
    const isInside = path.includes(':organizationId');
    const filled = path
      .replace(':organizationId', organizationId)
      .replace(/:(\w+?)(Id)?\b/g, (_, name: string) => `${name.slice(0, 3)}_${ZEROS}`);
    return [{ method, path: filled.slice('/v1/me'.length), isInside }];
  });

describe('a sign-in through the connection of an organization', () => {
  test('proves nothing for the account of a person who is elsewhere, too: every route asks for another proof', async () => {
    const { company, other, token } = await newGuest();
    const calls = callsOf(other.organizationId);
    assert.ok(calls.filter(({ isInside }) => !isInside).length >= 20, 'routes of the account are seen');
    assert.ok(calls.filter(({ isInside }) => isInside).length >= 15, 'routes of organizations are seen');
    for (const { method, path } of calls) {
      // biome-ignore lint/performance/noAwaitInLoops: the counters of one person
      expectOwnProofAsked(await me(path, token, { method }), `${method} ${path}`);
    }
    for (const { method, path, isInside } of callsOf(company.organizationId)) {
      // The last one leaves the organization, and so ends the session.
      if (!isInside || path === `/organizations/${company.organizationId}`) continue;
      // biome-ignore lint/performance/noAwaitInLoops: the counters of one person
      const { body, text } = await me(path, token, { method });
      assert.equal(body?.ownProof, undefined, `${method} ${path} ${text}`);
    }
    assert.equal((await me(`/organizations/${company.organizationId}`, token, { method: 'DELETE' })).status, 204);
  });

  for (const [what, prove] of [
    ['the password', async () => ({ password: PASSWORD })],
    [
      'a code to the address of the account',
      async (email: string) => {
        const sent = await latchkey.auth('/v1/auth/login/email-code', { body: { email } });
        return { emailCode: { flowId: sent.body.flowId, code: await mailedCode(latchkey, email) } };
      },
    ],
  ] as const)
    test(`changes credentials after ${what} was proven in the session`, async () => {
      const { email, token } = await newGuest();
      expectOwnProofAsked(await me('/security/mfa/totp', token, { body: {} }));
      const { body, text } = await latchkey.auth('/v1/auth/reauthenticate', { token, body: await prove(email) });
      assert.ok(body.access_token, text);
      assert.equal((await me('/security/mfa/totp', body.access_token, { body: {} })).status, 200);
      clock.advance(601_000);
      const late = await me('/security/mfa/totp', body.access_token, { body: {} });
      expectProblem(late, 401, 'REAUTHENTICATION_REQUIRED');
      assert.equal(late.body.ownProof, undefined, 'the session has been the person’s own since');
    });

  test('and a second factor are no proof of the account without a first factor of the person', async () => {
    const { company, claims, email } = await newGuest();
    const app = await totpOf(latchkey, await login(email), clock);
    const { body: asked } = await visit(company, claims);
    assert.equal(asked.status, 'mfa_required');
    const verified = await latchkey.auth('/v1/auth/mfa/verify', {
      body: { mfaToken: asked.mfaToken, code: app.code() },
    });
    assert.equal(verified.body.session.acr, 'aal2', verified.text);
    const { access_token: token } = verified.body;
    const refused = await me('/security/recovery-codes', token, { body: {} });
    expectOwnProofAsked(refused);
    assert.equal(refused.body.acr, undefined, 'the second factor was proven');
    const { body } = await latchkey.auth('/v1/auth/reauthenticate', { token, body: { password: PASSWORD } });
    assert.equal((await me('/security/recovery-codes', body.access_token, { body: {} })).status, 200);
  });

  test('sets up no second factor for a person who is elsewhere, too, while they sign in', async () => {
    const { company, claims } = await newGuest();
    assert.equal((await company.call('/policy', 'PATCH', { mfa: 'required' })).status, 200);
    expectOwnProofAsked(await visit(company, claims));
    const employee = { sub: crypto.randomUUID(), email: company.newEmail() };
    const { body: asked } = await visit(company, employee);
    assert.equal(asked.status, 'mfa_required');
    const { mfaToken } = asked;
    const begun = await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });
    assert.equal(begun.status, 200, begun.text);
    await join(await openCompany(), employee.email);
    const code = codesOf(begun.body.secret, clock)();
    const confirmed = { mfaToken, factorId: begun.body.id, code };
    expectOwnProofAsked(await latchkey.auth('/v1/auth/mfa/enroll/confirm', { body: confirmed }), 'joined meanwhile');
    expectOwnProofAsked(await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } }));
  });

  test('decides about an account that is wholly the organization’s, until its person is elsewhere, too', async () => {
    const { email, token } = await newEmployee();
    const changes = async () => (await me('/security/mfa/totp', token, { body: {} })).status;
    assert.equal(await changes(), 200);
    const other = await openCompany();
    await join(other, email);
    expectOwnProofAsked(await me('/security/mfa/totp', token, { body: {} }), 'in another organization');
    const memberId = await memberOf(email);
    assert.equal((await other.call(`/members/${memberId}`, 'DELETE')).status, 204);
    assert.equal(await changes(), 200);
    const { id: userId } = (await me('/context', token)).body.user;
    const projectId = latchkey.demo.projects[1]?.id;
    assert.ok(projectId);
    await latchkey.inProject((tx) => addMember(tx, userId), { projectId });
    expectOwnProofAsked(await me('/security/mfa/totp', token, { body: {} }), 'in another project');
  });

  test('does not decide about an account whose person proved an address of their own since', async () => {
    const { token } = await newEmployee();
    const email = newEmail();
    const begun = await me('/profile/email', token, { body: { email } });
    const proof = { flowId: begun.body.flowId, code: await mailedCode(latchkey, email) };
    assert.equal((await me('/profile/email/verify', token, { body: proof })).status, 204);
    expectOwnProofAsked(await me('/security/mfa/totp', token, { body: {} }));
  });

  test('does not decide about an account that was joined, though its person is nowhere else', async () => {
    const { token } = await newJoined();
    expectOwnProofAsked(await me('/profile/email', token, { body: { email: newEmail() } }));
    expectOwnProofAsked(await me('', token, { method: 'DELETE' }));
  });

  test('leads from the account page to the person’s own ways in, and not back to the identity provider', async () => {
    const { company, claims, email } = await newGuest();
    const { auth } = latchkey.system.config.addresses.test;
    const browser = browserOf(latchkey);
    const there = await browser.submit(await browser.open(`${auth}/account`), { identifier: email });
    assert.ok(there.url.startsWith(upstream.issuer), `${there.url} ${there.text}`);
    upstream.claims = claims;
    const parameters = new URLSearchParams(upstream.approve(there.url));
    const back = `${auth}/v1/auth/login/connections/${company.connectionId}/callback?${parameters}`;
    assert.match((await browser.open(back)).url, /\/account$/);
    const forms = operations.filter(({ method, path }) => method === 'GET' && /^\/account\/[\w-]+$/.test(path));
    assert.ok(forms.length >= 5);
    for (const { path } of forms) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      assert.match((await browser.open(`${auth}${path}`)).url, /\/sign-in\//, path);
    }
    const asked = await browser.open(`${auth}/account/password`);
    assert.match(asked.text, /type="password"/);
    const page = await browser.submit(asked, { identifier: email, password: PASSWORD });
    assert.match(page.url, /\/account\/password$/);
  });
});

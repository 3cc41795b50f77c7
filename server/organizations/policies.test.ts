import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { refreshTokenGrant } from 'openid-client';
import {
  changeSettings,
  expectProblem,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, returned, signInOn, userInfoOf } from '#tests/oidc.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const admin = async (path: string, method = 'GET', body?: unknown) =>
  latchkey.api(`/v1/admin/${path}`, { token: await ownerToken(latchkey), method, ...(body !== undefined && { body }) });

let slugs = 0;
/** A person who signed in with a password, and an organization that they are in. */
async function newMembership(policy?: object) {
  slugs += 1;
  const person = await register(latchkey);
  const members = await admin(`members?q=${encodeURIComponent(person.email)}`);
  const slug = `policy-${slugs}`;
  const { body } = await admin('organizations', 'POST', { name: 'Acme', slug });
  const added = await admin(`organizations/${body.id}/members`, 'POST', { memberId: members.body.items[0].id });
  assert.equal(added.status, 201, added.text);
  const organizationId = String(body.id);
  if (policy) assert.equal((await setPolicy(organizationId, policy)).status, 200);
  return { person, organizationId, slug };
}
const setPolicy = (organizationId: string, policy: object) =>
  admin(`organizations/${organizationId}/policy`, 'PATCH', policy);
const enter = ({ person, organizationId }: { person: { access_token: string }; organizationId: string }) => {
  const { workspaceId, projects } = latchkey.demo;
  const body = { workspaceId, projectId: projects[0]?.id, environment: 'test', organizationId };
  return latchkey.auth('/v1/sessions/switch-context', { token: person.access_token, body });
};
const refresh = ({ refresh_token }: { refresh_token: string }) =>
  latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } });
const context = ({ access_token: token }: { access_token: string }) => latchkey.api('/v1/me/context', { token });

describe('the policy of an organization', () => {
  test('has no rules at first, and changes field by field', async () => {
    const { organizationId } = await newMembership();
    const none = {
      signInMethods: null,
      mfa: null,
      sessionIdleSeconds: null,
      sessionAbsoluteSeconds: null,
      addresses: null,
    };
    assert.deepEqual((await admin(`organizations/${organizationId}/policy`)).body, none);
    const changed = await setPolicy(organizationId, { mfa: 'required', addresses: ['203.0.113.7', '2001:db8::/32'] });
    const policy = { ...none, mfa: 'required', addresses: ['203.0.113.7', '2001:db8::/32'] };
    assert.deepEqual([changed.status, changed.body], [200, policy]);
    assert.deepEqual((await setPolicy(organizationId, { addresses: null })).body, { ...policy, addresses: null });
    const { rows } = await latchkey.system.pool.query(
      `select data->'fields' as fields from events where type = 'organization.policy.changed' and data->>'organizationId' = $1 order by id`,
      [organizationId],
    );
    assert.deepEqual(rows, [{ fields: ['addresses', 'mfa'] }, { fields: ['addresses'] }]);
  });

  test('is never weaker than the project', async () => {
    const { organizationId } = await newMembership();
    await changeSettings(latchkey, { signInMethods: ['password', 'passkey'], sessionAbsoluteSeconds: 86_400 });
    const weaker: object[] = [
      { signInMethods: ['password', 'social'] },
      { signInMethods: [] },
      { mfa: 'off' },
      { sessionAbsoluteSeconds: 86_401 },
      { sessionIdleSeconds: 15 * 86_400 },
      { sessionIdleSeconds: 1 },
      { addresses: ['203.0.113.0/33'] },
      { addresses: ['example.com'] },
      { addresses: [] },
      {},
    ];
    const tried = await Promise.all(weaker.map((policy) => setPolicy(organizationId, policy)));
    for (const response of tried) expectProblem(response, 400, 'VALIDATION_FAILED');
    await changeSettings(latchkey, {
      signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
      sessionAbsoluteSeconds: 90 * 86_400,
    });
  });

  test('is not found for an organization of another project', async () => {
    expectProblem(await admin('organizations/org_01kaz3w9hqf8p9n2m4v5x6y7z8/policy'), 404, 'NOT_FOUND');
    expectProblem(await setPolicy('org_01kaz3w9hqf8p9n2m4v5x6y7z8', { mfa: 'required' }), 404, 'NOT_FOUND');
  });
});

/** Policies that a person who signed in with a password does not meet, and the response to them. */
const UNMET: readonly [policy: object, status: number, code: string][] = [
  [{ mfa: 'required' }, 401, 'REAUTHENTICATION_REQUIRED'],
  [{ signInMethods: ['passkey', 'social'] }, 403, 'ORGANIZATION_METHOD'],
  [{ addresses: ['203.0.113.0/24'] }, 403, 'ORGANIZATION_ADDRESS'],
];

describe('a session', () => {
  for (const [policy, status, code] of UNMET)
    test(`that does not meet ${JSON.stringify(policy)} neither enters nor refreshes: ${code}`, async () => {
      const at = await newMembership();
      const inside = (await enter(at)).body;
      await setPolicy(at.organizationId, policy);
      expectProblem(await context(inside), 401, 'SESSION_REVOKED');
      expectProblem(await refresh(inside), status, code);
      expectProblem(await enter(at), status, code);
      assert.equal((await context(at.person)).status, 200, 'the project alone is open');
      const lifted = Object.fromEntries(Object.keys(policy).map((field) => [field, null]));
      await setPolicy(at.organizationId, lifted);
      assert.equal((await refresh(inside)).status, 200, 'the refusal spent no refresh token');
    });

  test('that meets the policy enters', async () => {
    const policy = { signInMethods: ['password'], addresses: ['127.0.0.0/8', '::1'] };
    assert.equal((await enter(await newMembership(policy))).status, 200);
  });

  test('an authenticator code as the second factor does not count as a code by mail', async () => {
    const at = await newMembership({ signInMethods: ['email_code'] });
    await latchkey.system.pool.query(`update sessions set amr = '{pwd,otp,mfa}', acr = 'aal2' where id = $1`, [
      at.person.session.id,
    ]);
    expectProblem(await enter(at), 403, 'ORGANIZATION_METHOD');
  });

  test('is refused if the project becomes stricter than the policy', async () => {
    const at = await newMembership({ signInMethods: ['password', 'passkey'] });
    const inside = (await enter(at)).body;
    await changeSettings(latchkey, { signInMethods: ['passkey', 'magic_link'] });
    expectProblem(await refresh(inside), 403, 'ORGANIZATION_METHOD');
    await changeSettings(latchkey, {
      signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
    });
    assert.equal((await refresh(inside)).status, 200);
  });

  test('needs a fresh proof after the absolute lifetime, which no access token outlives', async () => {
    const at = await newMembership({ sessionAbsoluteSeconds: 600 });
    const inside = (await enter(at)).body;
    const { auth_time: since, exp } = decodeJwt(inside.access_token);
    assert.equal(exp, Number(since) + 600);
    clock.advance(601_000);
    expectProblem(await refresh(inside), 401, 'REAUTHENTICATION_REQUIRED');
    const again = await latchkey.auth('/v1/auth/reauthenticate', {
      token: at.person.access_token,
      body: { password: PASSWORD },
    });
    assert.equal(again.status, 200, again.text);
    assert.equal((await refresh(inside)).status, 200);
  });

  test('needs a fresh proof if it was idle for too long; each refresh prolongs it', async () => {
    const at = await newMembership({ sessionIdleSeconds: 600 });
    let inside = (await enter(at)).body;
    for (const step of [400, 400]) {
      clock.advance(step * 1000);
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await refresh(inside);
      assert.equal(response.status, 200, response.text);
      inside = response.body;
    }
    clock.advance(601_000);
    expectProblem(await refresh(inside), 401, 'REAUTHENTICATION_REQUIRED');
  });
});

describe('an application', () => {
  /** The error that the application gets for an organization with this policy; `code` if it gets a code. */
  async function outcomeFor(policy: object): Promise<string> {
    const at = await newMembership(policy);
    const flow = await codeFlow(latchkey, { organization: at.slug });
    const browser = browserOf(latchkey);
    const page = await signInOn(latchkey, flow, at.person, browser);
    return returned(page.url)['error'] ?? (returned(page.url)['code'] ? 'code' : page.url);
  }

  test('gets a code only for a sign-in that meets the policy', async () => {
    const found = [
      await outcomeFor({ signInMethods: ['password'] }),
      await outcomeFor({ signInMethods: ['social'] }),
      await outcomeFor({ addresses: ['203.0.113.0/24'] }),
      await outcomeFor({ addresses: ['127.0.0.1', '::1'] }),
      await outcomeFor({ mfa: 'required' }),
    ];
    assert.deepEqual(found, ['code', 'access_denied', 'access_denied', 'code', 'unmet_authentication_requirements']);
  });

  test('makes a signed-in browser sign in again with an allowed method', async () => {
    const at = await newMembership();
    const first = await codeFlow(latchkey, {});
    const browser = browserOf(latchkey);
    await first.finish(await signInOn(latchkey, first, at.person, browser));
    await setPolicy(at.organizationId, { signInMethods: ['social'] });
    const flow = await codeFlow(latchkey, { organization: at.slug });
    assert.match((await browser.open(flow.url)).url, /\/sign-in\//);
    const silent = await codeFlow(latchkey, { organization: at.slug, prompt: 'none' });
    assert.equal(returned((await browser.open(silent.url)).url)['error'], 'login_required');
  });

  /** Signs in at an application, for an offline session in an organization. */
  async function signedIn() {
    const at = await newMembership();
    const flow = await codeFlow(latchkey, { scope: 'openid offline_access', organization: at.slug });
    const tokens = await flow.finish(await signInOn(latchkey, flow, at.person));
    const again = (token = tokens.refresh_token) => refreshTokenGrant(flow.configuration, token ?? '');
    return { ...at, tokens, again, told: () => userInfoOf(flow, tokens) };
  }

  for (const policy of [{ signInMethods: ['social'] }, { mfa: 'required' }])
    test(`gets nothing more after the policy became ${JSON.stringify(policy)}, until it is lifted`, async () => {
      const { organizationId, again, told } = await signedIn();
      await setPolicy(organizationId, policy);
      await assert.rejects(told());
      await assert.rejects(again(), { error: 'invalid_grant' });
      await setPolicy(organizationId, Object.fromEntries(Object.keys(policy).map((field) => [field, null])));
      assert.ok((await again()).access_token, 'the refusal spent no refresh token');
    });

  test('gets no new tokens after the shortened lifetime of sessions', async () => {
    const { organizationId, again } = await signedIn();
    await setPolicy(organizationId, { sessionAbsoluteSeconds: 600 });
    const { refresh_token: next } = await again();
    clock.advance(601_000);
    await assert.rejects(again(next), { error: 'invalid_grant' });
  });
});

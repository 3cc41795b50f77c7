import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { admin } from '#tests/apis.ts';
import { type Company, newCompany, signInThrough } from '#tests/connections.ts';
import {
  changeSettings,
  expectProblem,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';

/** Attacks on organizations by members' own roles, with a session that may not enter the organization. */

let latchkey: TestLatchkey;
let upstream: Issuer;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
  await changeSettings(latchkey, { organizationSelfService: ['connections', 'directory', 'policy'] });
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

const company = () => newCompany(latchkey, { issuer: upstream.issuer });

type Owner = { email: string; token: string; memberId: string };

/** An owner of an organization, with a session by password and an address at a mail domain of `home`. */
async function ownerOf({ call }: Company, home: Company): Promise<Owner> {
  const person = await prove(latchkey, await register(latchkey, { email: home.newEmail() }));
  const { items } = await admin(latchkey, `members?q=${encodeURIComponent(person.email)}`);
  const { id: memberId } = items[0];
  const added = await call('/members', 'POST', { memberId, roles: ['owner'] });
  assert.equal(added.status, 201, added.text);
  return { email: person.email, token: person.access_token, memberId };
}

/** What an owner does in their organization; each is one route of its kind. */
const DOES: Record<string, (at: Company, send: Send) => Promise<TestResponse>> = {
  'reads the members': (_at, send) => send('/members'),
  'reads the audit log': (_at, send) => send('/audit-events'),
  invites: (at, send) => send('/invitations', 'POST', { email: at.newEmail(), roles: ['owner'] }),
  'changes the policy': (_at, send) => send('/policy', 'PATCH', { mfa: null }),
  'changes the connection': (at, send) => send(`/connections/${at.connectionId}`, 'PATCH', { required: false }),
  'issues a token for a directory': (_at, send) => send('/scim/tokens', 'POST', { name: 'Mine' }),
  'makes a set-up link': (_at, send) => send('/setup-links', 'POST', { tasks: ['team'] }),
};
type Send = (path: string, method?: string, body?: unknown) => Promise<TestResponse>;

const sendAs =
  (token: string, { organizationId }: Company): Send =>
  (path, method = 'GET', body) =>
    latchkey.api(`/v1/me/organizations/${organizationId}${path}`, {
      token,
      method,
      ...(body !== undefined && { body }),
    });

async function statuses(at: Company, token: string) {
  const found: Record<string, [number, string | null]> = {};
  for (const [name, does] of Object.entries(DOES)) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const { status, body } = await does(at, sendAs(token, at));
    found[name] = [status, body.errorCode ?? null];
  }
  return found;
}

const everywhere = (result: [number, string | null]) =>
  Object.fromEntries(Object.keys(DOES).map((name) => [name, result]));

describe('with a session that the organization does not admit, an owner manages nothing in it:', () => {
  const POLICIES = {
    'it asks for two factors': [{ mfa: 'required' }, 401, 'REAUTHENTICATION_REQUIRED'],
    'it takes passkeys alone': [{ signInMethods: ['passkey'] }, 403, 'ORGANIZATION_METHOD'],
    'it takes other addresses': [{ addresses: ['203.0.113.0/24'] }, 403, 'ORGANIZATION_ADDRESS'],
  } as const;
  for (const [what, [policy, status, code]] of Object.entries(POLICIES))
    test(what, async () => {
      const at = await company();
      const { token } = await ownerOf(at, at);
      assert.equal((await at.call('/policy', 'PATCH', policy)).status, 200);
      assert.deepEqual(await statuses(at, token), everywhere([status, code]));
    });

  test('its connection is required, and the session is by password', async () => {
    const at = await company();
    const { token } = await ownerOf(at, at);
    await at.change({ status: 'enabled', required: true });
    assert.deepEqual(await statuses(at, token), everywhere([403, 'ORGANIZATION_METHOD']));
  });

  test('the session is by the connection of another organization', async () => {
    const [at, other] = [await company(), await company()];
    const { email } = await ownerOf(at, other);
    await other.change({ status: 'enabled', justInTime: true });
    const { connectionId } = other;
    const { body } = await signInThrough(latchkey, upstream, { connectionId, claims: { sub: 'theirs', email } });
    assert.equal(body.session.organizationId, other.organizationId);
    const refused = Object.keys(DOES).map((name) => [
      name,
      // A change takes a fresh proof first, and the other connection's is none here.
      name.startsWith('reads') ? [403, 'ORGANIZATION_METHOD'] : [401, 'REAUTHENTICATION_REQUIRED'],
    ]);
    assert.deepEqual(await statuses(at, body.access_token), Object.fromEntries(refused));
    expectProblem(await sendAs(body.access_token, at)('/members'), 403, 'ORGANIZATION_METHOD');
  });
});

test('a session that the organization admits manages it, before it enters', async () => {
  const at = await company();
  const { email } = await ownerOf(at, at);
  const { body } = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
  const found = await statuses(at, body.access_token);
  assert.deepEqual(
    Object.values(found).filter(([status]) => status >= 300),
    [],
    JSON.stringify(found),
  );
});

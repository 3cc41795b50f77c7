import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ENDED_BY } from '#credential-changes';
import { rememberDevice } from '#devices';
import { linkIdentity } from '#linked-identities';
import { beginSession } from '#sessions';
import { type App, challengeIn, codesOf, totpOf } from '#tests/factors.ts';
import {
  expectProblem,
  mailedCode,
  managementToken,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { addEmployer, type Issuer, startIssuer } from '#tests/issuer.ts';
import { browserOf } from '#tests/oidc.ts';
import { NEXT_PASSWORD, newPhone, type Person, peopleAt, type Session } from '#tests/protected-person.ts';
import { modelTable } from '#tests/security-model.ts';

const REDIRECT = 'http://localhost:5173/callback';

const clock = new TestClock();
let latchkey: TestLatchkey;
let upstream: Issuer;
let people: ReturnType<typeof peopleAt>;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey({ clock }), startIssuer()]);
  people = peopleAt(latchkey, clock);
  await addEmployer(latchkey, upstream);
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

type Changing = { person: Person; app: App; strong: Session; weak: Session };
type Change = {
  prepare?: (changing: Changing) => Promise<unknown>;
  make: (changing: Changing) => Promise<TestResponse>;
};

const me: ReturnType<typeof peopleAt>['me'] = (...call) => people.me(...call);
const remove = (path: string, session: Session) => me(path, session, { method: 'DELETE' });
const isAlive = async (session: Pick<Session, 'access_token'>) => (await me('/context', session)).status === 200;
const post = (path: string, body: unknown) => latchkey.auth(path, { body });

async function changeAddress(session: Session, kind: 'email' | 'phone', value: string): Promise<TestResponse> {
  const { body } = await me(`/profile/${kind}`, session, { body: { [kind]: value } });
  const code = kind === 'email' ? await mailedCode(latchkey, value) : await people.textedCode(value);
  return me(`/profile/${kind}/verify`, session, { body: { flowId: body.flowId, code } });
}

async function asAdmin(person: Person, call: { path?: string; method: string; body?: unknown }): Promise<TestResponse> {
  const token = await managementToken(latchkey);
  const { body } = await latchkey.api(`/v1/admin/members?q=${encodeURIComponent(person.email)}`, { token });
  const { path = '', ...rest } = call;
  return latchkey.api(`/v1/admin/members/${body.items[0].id}${path}`, { token, ...rest });
}

/** Links an account at the provider from a session that starts the flow. */
async function link(session: Session): Promise<TestResponse> {
  const clientId = latchkey.demo.environments.test.clientId;
  const begun = await me('/linked-identities', session, {
    body: { provider: 'employer', clientId, redirectUri: REDIRECT },
  });
  const { auth } = latchkey.system.config.addresses.test;
  const browser = browserOf(latchkey);
  upstream.claims = { sub: crypto.randomUUID() };
  const there = await browser.open(new URL(begun.body.url, auth).href);
  const back = new URLSearchParams(upstream.approve(there.url));
  const { url } = await browser.open(`${auth}/v1/auth/login/social/employer/callback?${back}`);
  return me('/linked-identities', session, { body: { code: new URL(url).searchParams.get('code') } });
}

const firstPasskey = async (session: Session): Promise<string> =>
  `/security/passkeys/${(await me('/security', session)).body.passkeys[0].id}`;

/** Makes each change; changes by the person come from the session with both factors. */
const makeChange: Record<keyof typeof ENDED_BY, Change> = {
  password: {
    make: ({ strong }) =>
      me('/security/password', strong, {
        method: 'PUT',
        body: { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD },
      }),
  },
  email: { make: ({ strong }) => changeAddress(strong, 'email', newEmail()) },
  phone: { make: ({ strong }) => changeAddress(strong, 'phone', newPhone()) },
  totp_added: {
    prepare: async ({ strong }) => {
      await people.addPhone(strong, newPhone());
      await remove('/security/mfa/totp', strong);
    },
    make: async ({ strong }) => {
      const { body } = await me('/security/mfa/totp', strong, { body: {} });
      const code = codesOf(body.secret, clock)();
      return me('/security/mfa/totp/confirm', strong, { body: { id: body.id, code } });
    },
  },
  totp_removed: { make: ({ strong }) => remove('/security/mfa/totp', strong) },
  phone_factor_added: { make: ({ strong }) => people.addPhone(strong, newPhone()) },
  phone_factor_removed: {
    prepare: ({ strong }) => people.addPhone(strong, newPhone()),
    make: ({ strong }) => remove('/security/mfa/phone', strong),
  },
  passkey_added: { make: ({ strong }) => people.addPasskey(strong) },
  passkey_changed: {
    prepare: ({ strong }) => people.addPasskey(strong),
    make: async ({ strong }) =>
      me(await firstPasskey(strong), strong, { method: 'PATCH', body: { secondFactor: true } }),
  },
  passkey_removed: {
    prepare: ({ strong }) => people.addPasskey(strong),
    make: async ({ strong }) => remove(await firstPasskey(strong), strong),
  },
  mfa_reset: { make: ({ person }) => asAdmin(person, { path: '/reset-mfa', method: 'POST' }) },
  identity_linked: { make: ({ strong }) => link(strong) },
  identity_unlinked: {
    prepare: ({ person }) => {
      const account = { provider: 'employer', issuer: upstream.issuer, subject: crypto.randomUUID(), email: null };
      return latchkey.inProject((tx) => linkIdentity(tx, person.session.userId, account));
    },
    make: async ({ strong }) => {
      const { body } = await me('/linked-identities', strong);
      return remove(`/linked-identities/${body.items[0].id}`, strong);
    },
  },
  reclaimed: {
    prepare: ({ person }) =>
      latchkey.system.pool.query('update identifiers set verified_at = null where user_id = $1', [
        person.session.userId,
      ]),
    make: async ({ person: { email } }) => {
      const { body } = await post('/v1/auth/login/email-code', { email });
      return post('/v1/auth/login/email-code/verify', { flowId: body.flowId, code: await mailedCode(latchkey, email) });
    },
  },
  recovery_codes: { make: ({ strong }) => me('/security/recovery-codes', strong, { body: {} }) },
  recovery_code_used: {
    make: async ({ person, app }) => {
      const { mfaToken } = challengeIn(await people.login(person));
      return people.verify({ mfaToken, code: app.recoveryCodes[0] });
    },
  },
};

/** What exists before a change: another session, a remembered device, a reset link in the mailbox. */
async function leftAbout(person: Person) {
  const { userId } = person.session;
  const { entry } = await latchkey.inProject(async (tx) => {
    await rememberDevice(tx, userId, 3_600);
    return beginSession(tx, userId, {
      amr: ['pwd'],
      acr: 'aal1',
      rememberedDevice: null,
      signInMethods: ['password'],
      organizationId: null,
    });
  });
  const token = await people.resetLinkOf(person);
  const count = async (rows: string) =>
    Number((await latchkey.system.pool.query(`select count(*) from ${rows}`, [userId])).rows[0].count);
  return {
    sessionEnded: async () =>
      (await count(`sessions where user_id = $1 and id = '${entry.sessionId}' and revoked_at is not null`)) === 1,
    devicesForgotten: async () => (await count('remembered_devices where user_id = $1')) === 0,
    linkVoid: async () => (await people.reset({ token })).body.errorCode === 'INVALID_TOKEN',
  };
}

describe('a change of credentials', () => {
  test('ends what the security model says', async () => {
    const said = (ends: boolean) => (ends ? 'end' : 'stay');
    const rows = Object.entries(ENDED_BY).map(([change, { sessions, devices, proofs }]) => [
      change,
      ...[sessions, devices, proofs].map(said),
    ]);
    assert.deepEqual(await modelTable('credential-changes'), rows);
  });

  for (const [change, { prepare, make }] of Object.entries(makeChange))
    test(`ends what came before it, and its own session continues: ${change}`, async () => {
      const changing = await people.protectedPerson();
      await prepare?.(changing);
      const left = await leftAbout(changing.person);
      const response = await make(changing);
      assert.ok(response.status < 300, response.text);
      const expected = Object.entries(ENDED_BY).find(([known]) => known === change)?.[1];
      const found = { sessions: await left.sessionEnded(), devices: await left.devicesForgotten() };
      const own = change !== 'mfa_reset' && change !== 'reclaimed';
      assert.equal(await isAlive(changing.strong), own, 'its own session');
      assert.deepEqual({ ...found, proofs: await left.linkVoid() }, expected);
    });

  test('by an administrator ends every session, and links in the old mailbox', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const token = await people.resetLinkOf(person);
    const changed = await asAdmin(person, { method: 'PATCH', body: { email: newEmail(), emailVerified: true } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(await isAlive(person), false);
    expectProblem(await people.reset({ token }), 400, 'INVALID_TOKEN');
  });

  test('of the password ends a concurrent sign-in that checks the old one', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const body = { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD };
    let changed: TestResponse | undefined;
    const changing = me('/security/password', person, { method: 'PUT', body }).then((response) => {
      changed = response;
    });
    const attempts: Promise<TestResponse>[] = [];
    for (let round = 0; round < 60 && !changed; round += 1) {
      attempts.push(people.login(person));
      // biome-ignore lint/performance/noAwaitInLoops: staggers concurrent sign-ins
      await latchkey.auth('/v1/auth/methods');
    }
    await changing;
    assert.equal(changed?.status, 204, changed?.text);
    const entered = (await Promise.all(attempts)).filter(({ status }) => status === 200);
    const alive = await Promise.all(entered.map(({ body: session }) => isAlive(session)));
    assert.deepEqual(alive.filter(Boolean), []);
    assert.ok(await isAlive(person));
  });

  test('made in several sessions at once succeeds in one of them, which continues', async () => {
    const person: Person = await prove(latchkey, await register(latchkey));
    const others = await Promise.all(Array.from({ length: 4 }, () => people.login(person)));
    const sessions: Session[] = [person, ...others.map(({ body }) => body)];
    const responses = await Promise.all(
      sessions.map((session, index) =>
        me('/security/password', session, {
          method: 'PUT',
          body: { currentPassword: PASSWORD, newPassword: `${NEXT_PASSWORD} ${index}` },
        }),
      ),
    );
    const made = responses.map(({ status }) => status === 204);
    assert.equal(made.filter(Boolean).length, 1, responses.map(({ text }) => text).join());
    assert.deepEqual(await Promise.all(sessions.map(isAlive)), made);
  });
});

describe('a session', () => {
  test('ends when its person enrols an app elsewhere; the enrolling session is raised and keeps its tokens', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const { body: attacker } = await people.login(person);
    await totpOf(latchkey, person, clock);
    expectProblem(await me('/context', attacker), 401, 'SESSION_REVOKED');
    assert.equal((await me('/security/recovery-codes', person, { body: {} })).status, 200);
    const { body } = await post('/v1/sessions/refresh', { refresh_token: person.refresh_token });
    assert.deepEqual([body.session?.acr, body.session?.amr], ['aal2', ['pwd', 'otp', 'mfa']]);
  });

  test('that started with a phone is not raised by the same phone as second factor', async () => {
    const phone = newPhone();
    const { body: asked } = await post('/v1/auth/login/phone', { phone });
    const code = await people.textedCode(phone);
    const { body: session } = await post('/v1/auth/login/phone/verify', { flowId: asked.flowId, code });
    clock.advance(31_000);
    assert.equal((await people.addPhone(session, phone)).status, 200);
    const { body } = await post('/v1/sessions/refresh', { refresh_token: session.refresh_token });
    assert.deepEqual([body.session?.acr, body.session?.amr], ['aal1', ['sms']]);
    expectProblem(await me('/security/recovery-codes', session, { body: {} }), 401, 'REAUTHENTICATION_REQUIRED');
  });

  test('with the password alone adds no phone and no passkey beside the owner’s app', async () => {
    const { person, weak } = await people.protectedPerson();
    const phone = await me('/security/mfa/phone', weak, { body: { phone: newPhone() } });
    const passkey = await me('/security/passkeys/options', weak, { body: {} });
    for (const response of [phone, passkey]) expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
    const { factors } = challengeIn(await people.login(person));
    assert.deepEqual(
      factors.map(({ type }) => type),
      ['totp', 'recovery_code'],
    );
  });
});

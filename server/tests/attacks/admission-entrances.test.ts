import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Entrance } from '#admission';
import { createApplication } from '#applications';
import { updateSettings } from '#environments';
import { createProvider } from '#identity-providers';
import { softwareAuthenticator } from '#tests/authenticator.ts';
import { newCompany } from '#tests/connections.ts';
import { type App, totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  lastMessage,
  mailedCode,
  mailedToken,
  managementToken,
  newEmail,
  PASSWORD,
  PKCE,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf, codeFlow, returned, signInOn } from '#tests/oidc.ts';
import { type Person, siblingsOf } from '#tests/siblings.ts';

const REDIRECT = 'http://localhost:5173/callback';
const clock = new TestClock();
let latchkey: TestLatchkey;
/** Another installation that serves as an identity provider. */
let partner: TestLatchkey;
let siblingClient: string;
/** A connection of an organization to the other installation. */
let connectionId: string;
const { sibling, policies, login, verify, refresh } = siblingsOf(() => latchkey);

before(async () => {
  [latchkey, partner] = await Promise.all([
    startTestLatchkey({ clock }),
    startTestLatchkey({ own: 'the identity provider is another installation' }),
  ]);
  const company = await newCompany(latchkey);
  connectionId = company.connectionId;
  const callbackOf = (way: string) => `${latchkey.system.config.addresses.test.auth}/v1/auth/login/${way}/callback`;
  const redirectUris = [callbackOf('social/partner'), callbackOf(`connections/${connectionId}`)];
  const own = await partner.inProject((tx) => createApplication(tx, { kind: 'web', name: 'Shop', redirectUris }));
  await company.change({
    status: 'enabled',
    justInTime: true,
    oidc: {
      issuer: partner.system.config.addresses.test.auth,
      clientId: own.clientId,
      clientSecret: own.secret ?? '',
    },
  });
  await latchkey.inProject(async (tx) => {
    await createProvider(tx, {
      key: 'partner',
      preset: 'oidc',
      name: 'Partner',
      clientId: own.clientId,
      clientSecret: own.secret ?? '',
      options: { issuer: partner.system.config.addresses.test.auth },
    });
    await updateSettings(tx, {
      signInMethods: ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'],
    });
  });
  const there = await latchkey.inProject(
    (tx) => createApplication(tx, { kind: 'spa', name: 'Desk', redirectUris: [REDIRECT] }),
    { projectId: sibling().projectId },
  );
  siblingClient = there.clientId;
});
after(() => Promise.all([latchkey.stop(), partner.stop()]));

/** The result of an entrance. */
type Outcome = 'in' | 'second factor' | 'enrolment' | 'refused';

/** The project's policy, and whether the person has an app: the cells in which entrances once differed. */
const CELLS = {
  'a factor is set up, and the project offers them': { mfa: 'optional', app: true },
  'a factor is set up, and the project asks for none': { mfa: 'off', app: true },
  'nothing is set up, and the project requires a factor': { mfa: 'required', app: false },
  'nothing is set up, and the project offers factors': { mfa: 'optional', app: false },
} as const;
type Expected = readonly [offered: Outcome, off: Outcome, required: Outcome, none: Outcome];

const SIGN_IN: Expected = ['second factor', 'in', 'enrolment', 'in'];
/** With a session, one refusal asks for both factors and enrolment. */
const SESSION: Expected = ['second factor', 'in', 'second factor', 'in'];
const ALWAYS: Expected = ['in', 'in', 'in', 'in'];

function outcomeOf({ status, body }: TestResponse): Outcome {
  if (status === 401 && body.errorCode === 'REAUTHENTICATION_REQUIRED') return 'second factor';
  if (status !== 200) return 'refused';
  if (body.status === 'mfa_required') return body.enrollment ? 'enrolment' : 'second factor';
  return 'in';
}

type WithApp = Person & { app: App | undefined };
/**
 * Takes the person to the entrance while the project has no requirements.
 * @returns passes the entrance, under the policy of the cell
 */
type Walk = (person: WithApp) => Promise<() => Promise<Outcome>>;

/** An entrance that needs only the person. */
const straight =
  (enter: (person: WithApp) => Promise<TestResponse>): Walk =>
  async (person) =>
  async () =>
    outcomeOf(await enter(person));

const codeOf = async (to: string) => /\d{8}/.exec((await lastMessage(latchkey, to)).text)?.[0];

let numbers = 0;
async function phoneOf({ access_token: token }: Person): Promise<string> {
  numbers += 1;
  const phone = `+49151222${String(numbers).padStart(5, '0')}`;
  const begun = await latchkey.api('/v1/me/profile/phone', { token, body: { phone } });
  const proof = { flowId: begun.body.flowId, code: await codeOf(phone) };
  assert.equal((await latchkey.api('/v1/me/profile/phone/verify', { token, body: proof })).status, 204);
  return phone;
}

async function byCode(way: 'email-code' | 'phone', address: Record<string, string>, to: string): Promise<TestResponse> {
  clock.advance(60_000);
  const begun = await latchkey.auth(`/v1/auth/login/${way}`, { body: address });
  return latchkey.auth(`/v1/auth/login/${way}/verify`, { body: { flowId: begun.body.flowId, code: await codeOf(to) } });
}

const invite = async (email: string) => {
  const token = await managementToken(latchkey);
  const invited = await latchkey.api('/v1/admin/invitations', { token, body: { email, roles: [] } });
  assert.equal(invited.status, 201, invited.text);
  return mailedToken(latchkey, email);
};

/** A session with one factor in the sibling project. */
async function elsewhere(person: Person): Promise<string> {
  const response = await login(person, sibling());
  assert.equal(response.body.session?.acr, 'aal1', response.text);
  return response.body.access_token;
}

const here = () => ({
  workspaceId: latchkey.demo.workspaceId,
  projectId: latchkey.demo.projects[0]?.id,
  environment: 'test',
});

/** Where the pages of a sign-in lead after the password; `in` if there is no further question. */
async function byPages(
  url: string,
  { email, password = PASSWORD }: { email: string; password?: string },
  browser = browserOf(latchkey),
): Promise<Outcome> {
  const page = await browser.open(url);
  const next = /\/sign-in\//.test(page.url) ? await browser.submit(page, { identifier: email, password }) : page;
  if (/\/mfa$/.test(next.url)) return 'second factor';
  if (/\/enroll$/.test(next.url)) return 'enrolment';
  return returned(next.url)['error'] === undefined && !/\/sign-in\//.test(next.url) ? 'in' : 'refused';
}

const atPartner =
  (way: string): Walk =>
  async () => {
    const { email } = await register(partner);
    const arrive = async () => {
      const browser = browserOf(latchkey, partner);
      const { auth } = latchkey.system.config.addresses.test;
      const query = new URLSearchParams({
        clientId: latchkey.demo.environments.test.clientId,
        redirectUri: REDIRECT,
        state: 'x',
        codeChallenge: PKCE.codeChallenge,
      });
      const page = await browser.open(`${auth}/v1/auth/login/${way}/start?${query}`);
      const back = await browser.submit(page, { identifier: email, password: PASSWORD });
      return latchkey.auth('/v1/auth/login/social/exchange', {
        body: { code: returned(back.url)['code'], codeVerifier: PKCE.codeVerifier },
      });
    };
    const first = await arrive();
    assert.equal(first.status, 200, first.text);
    if (cellHasApp) {
      await policies('optional', 'off');
      await totpOf(latchkey, first.body, clock);
    }
    return async () => outcomeOf(await arrive());
  };
/** Whether the person of the current cell has an app; for walks that register a person on the way. */
let cellHasApp = false;

const passkey = straight(async ({ session }) => {
  const { body: begun } = await latchkey.auth('/v1/auth/login/passkey/options', { body: {} });
  const key = keys.get(session.userId);
  assert.ok(key);
  const body = { flowId: begun.flowId, response: key.get(begun.options) };
  return latchkey.auth('/v1/auth/login/passkey/verify', { body });
});
const keys = new Map<string, ReturnType<typeof softwareAuthenticator>>();

/** Adds a passkey that is not a second factor, before any other factor. */
async function addPasskey({ access_token: token, session }: Person): Promise<void> {
  const key = softwareAuthenticator(latchkey.system.config.addresses.test.auth);
  const path = '/v1/me/security/passkeys';
  const { body: begun } = await latchkey.api(`${path}/options`, { token, body: {} });
  const added = await latchkey.api(path, {
    token,
    body: { flowId: begun.flowId, response: key.create(begun.options) },
  });
  assert.equal(added.status, 201, added.text);
  keys.set(session.userId, key);
}

const WALKS: Readonly<
  Record<Entrance, { walk: Walk; expected: Expected; before?: (person: Person) => Promise<unknown> }>
> = {
  password: { walk: straight(login), expected: SIGN_IN },
  magic_link: {
    walk: straight(async ({ email }) => {
      await latchkey.auth('/v1/auth/login/magic-link', { body: { email } });
      const token = await mailedToken(latchkey, email);
      return latchkey.auth('/v1/auth/login/magic-link/verify', { body: { token } });
    }),
    expected: SIGN_IN,
  },
  email_code: { walk: straight(({ email }) => byCode('email-code', { email }, email)), expected: SIGN_IN },
  phone_code: {
    before: async (person) => phones.set(person.email, await phoneOf(person)),
    walk: straight(({ email }) => {
      const phone = phones.get(email) ?? '';
      return byCode('phone', { phone }, phone);
    }),
    expected: SIGN_IN,
  },
  verified_address: {
    walk: straight(async (person) => {
      await changeSettings(latchkey, { emailVerification: 'required' });
      const begun = await login(person);
      await changeSettings(latchkey, { emailVerification: 'off' });
      const proof = { flowId: begun.body.flowId, code: await mailedCode(latchkey, person.email) };
      return latchkey.auth('/v1/auth/email/verify', { body: proof });
    }),
    expected: SIGN_IN,
  },
  social: { walk: atPartner('social/partner'), expected: SIGN_IN },
  connection: { walk: (person) => atPartner(`connections/${connectionId}`)(person), expected: SIGN_IN },
  passkey: { before: addPasskey, walk: passkey, expected: ALWAYS },
  registration: {
    walk: straight(() => latchkey.auth('/v1/auth/register', { body: { email: newEmail(), password: PASSWORD } })),
    expected: ['in', 'in', 'enrolment', 'in'],
  },
  invitation: {
    walk: straight(async () => {
      const token = await invite(newEmail());
      return latchkey.auth('/v1/auth/invitations/accept', { body: { token, password: PASSWORD } });
    }),
    expected: ['in', 'in', 'enrolment', 'in'],
  },
  second_factor: {
    walk: straight(async (person) => {
      const asked = await login(person);
      return person.app && asked.body.status ? verify(asked, person.app.code()) : asked;
    }),
    expected: ['in', 'in', 'enrolment', 'in'],
  },
  factor_enrolment: {
    walk: straight(async (person) => {
      const asked = await login(person);
      if (!asked.body.enrollment) return asked;
      const { mfaToken } = asked.body;
      const begun = await latchkey.auth('/v1/auth/mfa/enroll', { body: { mfaToken } });
      assert.equal(begun.status, 200, begun.text);
      const wrong = await latchkey.auth('/v1/auth/mfa/enroll/confirm', {
        body: { mfaToken, factorId: begun.body.id, code: '000000' },
      });
      return wrong.body.errorCode === 'INVALID_CODE' ? asked : wrong;
    }),
    expected: SIGN_IN,
  },
  switch_context: {
    walk: async (person) => {
      const token = await elsewhere(person);
      return async () => outcomeOf(await latchkey.auth('/v1/sessions/switch-context', { token, body: here() }));
    },
    expected: SESSION,
  },
  accepted_invitation: {
    walk: async (person) => {
      const token = await elsewhere(person);
      await leaveHere(person);
      const invitation = await invite(person.email);
      return async () =>
        outcomeOf(await latchkey.auth('/v1/auth/invitations/accept', { token, body: { token: invitation } }));
    },
    expected: SESSION,
  },
  authorize: {
    walk: async (person) => {
      const browser = browserOf(latchkey);
      const there = await codeFlow(latchkey, {}, { clientId: siblingClient });
      await there.finish(await signInOn(latchkey, there, person, browser));
      const flow = await codeFlow(latchkey);
      return () => byPages(flow.url, person, browser);
    },
    expected: SIGN_IN,
  },
  account_page: {
    walk: async (person) => {
      const browser = browserOf(latchkey);
      const url = `${latchkey.system.config.addresses.test.auth}/account`;
      assert.equal(await byPages(url, person, browser), 'in');
      return () => byPages(`${url}/security`, person, browser);
    },
    expected: SIGN_IN,
  },
  console: {
    walk: async () => {
      const { console } = latchkey.system.config.addresses;
      return () => byPages(`${console}/console/v1/sign-in?returnTo=/console/`, latchkey.demo.operator);
    },
    expected: ['in', 'in', 'enrolment', 'in'],
  },
  refresh: {
    walk: async (person) => {
      const { body } = await login(person);
      return async () => outcomeOf(await refresh(body.refresh_token));
    },
    expected: SESSION,
  },
  oidc_token: {
    walk: async (person) => {
      const flow = await codeFlow(latchkey);
      const back = await signInOn(latchkey, flow, person);
      return () =>
        flow.finish(back).then(
          () => 'in' as const,
          () => 'second factor' as const,
        );
    },
    expected: SESSION,
  },
  reauthenticate: {
    walk: async (person) => {
      const { access_token: token } = (await login(person)).body;
      return async () =>
        outcomeOf(await latchkey.auth('/v1/auth/reauthenticate', { token, body: { password: PASSWORD } }));
    },
    expected: ALWAYS,
  },
};
const phones = new Map<string, string>();

async function leaveHere({ session: { userId } }: Person): Promise<void> {
  const { workspaceId, projectId } = here();
  await latchkey.system.pool.query('delete from members where workspace_id = $1 and project_id = $2 and user_id = $3', [
    workspaceId,
    projectId,
    userId,
  ]);
}

describe('every entrance enforces the policy of the project', () => {
  for (const [entrance, { walk, expected, before: first }] of Object.entries(WALKS))
    for (const [at, [cell, { mfa, app }]] of Object.entries(CELLS).entries())
      test(`${entrance}: ${cell}: ${expected[at]}`, async () => {
        await policies('optional', 'off');
        const known = await register(latchkey);
        assert.equal((await login(known, sibling())).status, 200);
        const person = entrance === 'verified_address' ? known : await prove(latchkey, known);
        await first?.(person);
        const withApp = { ...person, app: app ? await totpOf(latchkey, person, clock) : undefined };
        cellHasApp = app;
        await policies('off', 'off');
        const enter = await walk(withApp);
        await policies(mfa, 'off');
        if (entrance === 'console') await consoleAsks(mfa);
        assert.equal(await enter(), expected[at]);
      });
});

/** Sets the policy of the built-in project, whose members are the operators. */
async function consoleAsks(mfa: 'off' | 'optional' | 'required'): Promise<void> {
  const { rows } = await latchkey.system.pool.query(
    `select workspace_id as "workspaceId", project_id as "projectId" from members where environment = 'production' and user_id =
      (select user_id from identifiers where value = $1 and environment = 'production' limit 1)`,
    [latchkey.demo.operator.email],
  );
  await Promise.all(
    rows.map((scope) =>
      latchkey.inProject((tx) => updateSettings(tx, { mfa }), { ...scope, environment: 'production' }),
    ),
  );
}

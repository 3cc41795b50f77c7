import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import {
  changeSettings,
  expectProblem,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserOf, codeFlow, configurationOf, userInfoOf } from '#tests/oidc.ts';
import { operationsIn } from '#tests/operations.ts';

const REDIRECT = 'http://localhost:5173/callback';
const RESOURCE = 'https://api.partner.example';
const PARTIES = ['first party', 'third party', 'self-registered'] as const;
type Party = (typeof PARTIES)[number];

let latchkey: TestLatchkey;
let admin: string;
before(async () => {
  latchkey = await startTestLatchkey();
  await changeSettings(latchkey, { dynamicRegistration: 'with_token' });
  admin = await managementToken(latchkey);
  const api = { identifier: RESOURCE, name: 'Partner API' };
  assert.equal((await latchkey.api('/v1/admin/apis', { token: admin, body: api })).status, 201);
});
after(() => latchkey.stop());

type Application = { id: string; clientId: string; secret: string; origin: string };
let applications = 0;

/** An application of a party, added in the way of that party. */
async function applicationOf(party: Party): Promise<Application> {
  applications += 1;
  const origin = `http://localhost:${10_000 + applications}`;
  const changes = { apis: [{ identifier: RESOURCE }], origins: [origin] };
  if (party === 'self-registered') return { ...(await selfRegistered(changes)), origin };
  const { status, body, text } = await latchkey.api('/v1/admin/applications', {
    token: admin,
    body: { kind: 'web', name: 'Partner', redirectUris: [REDIRECT], firstParty: party === 'first party', ...changes },
  });
  assert.equal(status, 201, text);
  return { id: body.id, clientId: body.clientId, secret: body.secret, origin };
}

async function selfRegistered(changes: Record<string, unknown>) {
  const tokens = '/v1/admin/applications/registration-tokens';
  const issued = await latchkey.api(tokens, { token: admin, body: { name: 'Partners' } });
  const metadata = {
    client_name: 'Shop (official)',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const { body, text } = await latchkey.auth('/connect/register', { token: issued.body.token, body: metadata });
  assert.ok(body.client_id, text);
  const { rows } = await latchkey.system.pool.query('select id from applications where client_id = $1', [
    body.client_id,
  ]);
  const { id } = rows[0];
  await change(id, changes);
  return { id, clientId: body.client_id, secret: body.client_secret };
}

async function change(id: string, body: Record<string, unknown>): Promise<void> {
  const response = await latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'PATCH', body });
  assert.equal(response.status, 200, response.text);
}

/** The tokens of an application after a sign-in with full consent. */
async function tokensFor(
  { clientId, secret }: Application,
  person: { email: string; password?: string },
  parameters: Record<string, string> = {},
) {
  const browser = browserOf(latchkey);
  const flow = await codeFlow(latchkey, parameters, { clientId, secret });
  const entry = await browser.open(flow.url);
  const page = await browser.submit(entry, { identifier: person.email, password: person.password ?? PASSWORD });
  const back = page.url.startsWith(REDIRECT) ? page : await browser.submit(page, { decision: 'allow' });
  return { ...flow, tokens: await flow.finish(back) };
}

/** A token for the resource server, for an application that first got one for user info. */
async function resourceToken(opened: Pick<Opened, 'configuration' | 'tokens'>): Promise<string> {
  const { configuration, tokens } = opened;
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '', { resource: RESOURCE });
  return refreshed.access_token;
}

function target() {
  const { workspaceId, projects } = latchkey.demo;
  return { workspaceId, projectId: projects[0]?.id, environment: 'test' };
}

const switchContext = (token: string) => latchkey.auth('/v1/sessions/switch-context', { token, body: target() });

describe('the token of a third-party application', () => {
  for (const party of ['third party', 'self-registered'] as const) {
    test(`${party}: is exchanged for no session, and the refusal suggests no way to one`, async () => {
      const { tokens } = await tokensFor(await applicationOf(party), await register(latchkey));
      const response = await switchContext(tokens.access_token);
      expectProblem(response, 403, 'WRONG_TOKEN_KIND');
      assert.match(response.body.detail, /third-party application/);
      assert.doesNotMatch(response.body.detail, /switch-context/);
    });

    test(`${party}: is accepted by no route that takes a token, even if its person owns the project`, async () => {
      const { owner } = latchkey.demo.environments.test;
      const { tokens } = await tokensFor(await applicationOf(party), owner);
      const entered: string[] = [];
      for (const host of ['api', 'auth'] as const) {
        // biome-ignore lint/performance/noAwaitInLoops: one host after the other
        const { body } = await latchkey[host]('/openapi.json');
        const guarded = operationsIn(body, {}).filter(
          ({ permission, path }) => permission !== null && path.startsWith('/v1/'),
        );
        assert.ok(guarded.length > 0, `${host} has routes that take tokens`);
        for (const operation of guarded) {
          const { method, path, body: sent } = operation;
          const call = { method, token: tokens.access_token, ...(sent !== undefined && { body: sent }) };
          // biome-ignore lint/performance/noAwaitInLoops: hundreds of requests, one after the other
          const response = await latchkey[host](path, call);
          if (response.body.errorCode !== 'WRONG_TOKEN_KIND') entered.push(`${method} ${path}: ${response.status}`);
        }
      }
      assert.deepEqual(entered, []);
    });
  }

  test('depends on the application at the time of use: refused while it is third party, accepted again later', async () => {
    const application = await applicationOf('first party');
    const { tokens } = await tokensFor(application, await register(latchkey));
    assert.equal((await switchContext(tokens.access_token)).status, 200);
    await change(application.id, { firstParty: false });
    expectProblem(await switchContext(tokens.access_token), 403, 'WRONG_TOKEN_KIND');
    await change(application.id, { firstParty: true });
    assert.equal((await switchContext(tokens.access_token)).status, 200);
  });

  test('an application that registered itself cannot become first party', async () => {
    const { id } = await applicationOf('self-registered');
    const body = { firstParty: true };
    const response = await latchkey.api(`/v1/admin/applications/${id}`, { token: admin, method: 'PATCH', body });
    expectProblem(response, 400, 'VALIDATION_FAILED');
  });

  test('an access token in a cookie is not a session, of any application', async () => {
    const { tokens } = await tokensFor(await applicationOf('first party'), await register(latchkey));
    const headers = { cookie: `latchkey-test-access=${tokens.access_token}` };
    expectProblem(
      await latchkey.auth('/v1/sessions/switch-context', { headers, body: target() }),
      401,
      'AUTHENTICATION_REQUIRED',
    );
  });

  test('a token for a resource server is refused with advice that does not lead in a circle', async () => {
    const application = await applicationOf('first party');
    const opened = await tokensFor(application, await register(latchkey), { resource: RESOURCE });
    const response = await switchContext(await resourceToken(opened));
    expectProblem(response, 403, 'WRONG_TOKEN_KIND');
    assert.doesNotMatch(response.body.detail, /switch-context/);
    assert.match(response.body.detail, /without `resource`/);
  });
});

/** Everything that an application can learn about a person. */
async function told(...asked: Parameters<typeof tokensFor>) {
  const [application, person, parameters] = asked;
  const { configuration, tokens } = await tokensFor(...asked);
  const forApi = await tokensFor(application, person, { ...parameters, resource: RESOURCE });
  const claims = await Promise.all([
    tokens.claims(),
    forApi.tokens.claims(),
    client.fetchUserInfo(configuration, tokens.access_token, client.skipSubjectCheck),
    client.tokenIntrospection(configuration, tokens.access_token),
    client.tokenIntrospection(configuration, forApi.tokens.access_token),
    decodeJwt(forApi.tokens.access_token),
  ]);
  return [...new Set(claims.flatMap((known) => Object.keys(known ?? {})))];
}

const PERSONAL = ['roles', 'permissions', 'email', 'email_verified', 'name', 'phone_number', 'birthdate'];
const ASKED = Object.fromEntries(PERSONAL.map((claim) => [claim, { essential: true }]));

describe('what an application can learn', () => {
  for (const party of ['third party', 'self-registered'] as const) {
    test(`${party}: is what the consent page listed, whatever other claims it requests`, async () => {
      const claims = JSON.stringify({ userinfo: ASKED, id_token: ASKED });
      const { owner } = latchkey.demo.environments.test;
      const known = await told(await applicationOf(party), owner, { scope: 'openid', claims });
      assert.ok(known.includes('sub'));
      assert.deepEqual(
        PERSONAL.filter((claim) => known.includes(claim)),
        [],
      );
    });
  }

  test('a claim is included if its scope was granted', async () => {
    const asked = { scope: 'openid email roles', claims: JSON.stringify({ id_token: ASKED }) };
    const known = await told(await applicationOf('third party'), await register(latchkey), asked);
    assert.deepEqual(
      PERSONAL.filter((claim) => known.includes(claim)),
      ['roles', 'email', 'email_verified'],
    );
  });

  test('a third party selects claims of the scopes that the person consented to before', async () => {
    const application = await applicationOf('third party');
    const person = await register(latchkey);
    await tokensFor(application, person, { scope: 'openid email' });
    const claims = JSON.stringify({ userinfo: ASKED, id_token: ASKED });
    const known = await told(application, person, { scope: 'openid', claims });
    assert.deepEqual(
      PERSONAL.filter((claim) => known.includes(claim)),
      ['email', 'email_verified'],
    );
  });

  test('a first party, which needs no consent, learns the claims it names, where it names them, and no other', async () => {
    const asked = { scope: 'openid', claims: JSON.stringify({ userinfo: { email: null }, id_token: { roles: null } }) };
    const { configuration, tokens } = await tokensFor(
      await applicationOf('first party'),
      latchkey.demo.environments.test.owner,
      asked,
    );
    const info = await client.fetchUserInfo(configuration, tokens.access_token, client.skipSubjectCheck);
    assert.deepEqual(
      [info, tokens.claims() ?? {}].map((known) => PERSONAL.filter((claim) => claim in known)),
      [['email'], ['roles']],
    );
  });

  test('a former first-party application needs consent, and learns nothing before', async () => {
    const application = await applicationOf('first party');
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const { clientId, secret } = application;
    const asked = { scope: 'openid email' };
    const flow = await codeFlow(latchkey, asked, { clientId, secret });
    const entry = await browser.open(flow.url);
    const tokens = await flow.finish(await browser.submit(entry, { identifier: person.email, password: PASSWORD }));
    await change(application.id, { firstParty: false });
    const info = await client.fetchUserInfo(flow.configuration, tokens.access_token, client.skipSubjectCheck);
    assert.deepEqual(Object.keys(info), ['sub']);
    const again = await codeFlow(latchkey, asked, { clientId, secret });
    const question = await browser.open(again.url);
    assert.match(question.text, /asks for access/);
    const allowed = await again.finish(await browser.submit(question, { decision: 'allow' }));
    assert.equal((await userInfoOf(again, allowed))['email'], person.email);
  });
});

/** What an application of somebody else gets that asks for `openid` and unknown scopes. */
const WITHOUT_UNKNOWN = ['openid offline_access', 'openid offline_access', 'offline_access openid'];

describe('an unknown OAuth scope', () => {
  /** The scopes in the token response, in introspection and in the consents. */
  async function granted({ configuration, tokens }: Pick<Opened, 'configuration' | 'tokens'>, clientId: string) {
    const { scope } = await client.tokenIntrospection(configuration, tokens.access_token);
    const { rows } = await latchkey.system.pool.query(
      `select c.scopes from consents c join applications a on a.workspace_id = c.workspace_id and a.id = c.application_id
       where a.client_id = $1`,
      [clientId],
    );
    return [tokens.scope, scope, ...rows.map(({ scopes }) => scopes.toSorted().join(' '))];
  }

  test('is not granted, with a resource or without', async () => {
    for (const more of [{}, { resource: RESOURCE }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one application after the other
      const application = await applicationOf('third party');
      const asked = { scope: 'openid email admin members:write', ...more };
      const opened = await tokensFor(application, await register(latchkey), asked);
      // The token of an API has that API's scopes, and offline access is none of them.
      const scope = 'resource' in more ? 'openid email' : 'openid email offline_access';
      const consented = 'email offline_access openid';
      assert.deepEqual(await granted(opened, application.clientId), [scope, scope, consented]);
      if (!('resource' in more)) continue;
      assert.equal(decodeJwt(await resourceToken(opened))['scope'], 'openid email');
    }
  });

  test('is not granted in a pushed request', async () => {
    const application = await applicationOf('third party');
    const { clientId, secret } = application;
    const configuration = await configurationOf(latchkey, { clientId, secret });
    const verifier = client.randomPKCECodeVerifier();
    const url = await client.buildAuthorizationUrlWithPAR(configuration, {
      redirect_uri: REDIRECT,
      scope: 'openid admin',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const browser = browserOf(latchkey);
    const page = await browser.open(url.href);
    const { email: identifier } = await register(latchkey);
    const back = await browser.submit(await browser.submit(page, { identifier, password: PASSWORD }), {
      decision: 'allow',
    });
    const tokens = await client.authorizationCodeGrant(configuration, new URL(back.url), {
      pkceCodeVerifier: verifier,
    });
    assert.deepEqual(await granted({ configuration, tokens }, clientId), WITHOUT_UNKNOWN);
  });

  test('is not granted to a device', async () => {
    const body = { kind: 'device', name: 'Television', firstParty: false };
    const added = await latchkey.api('/v1/admin/applications', { token: admin, body });
    const { clientId } = added.body;
    const configuration = await configurationOf(latchkey, { clientId });
    const begun = await client.initiateDeviceAuthorization(configuration, { scope: 'openid admin' });
    const browser = browserOf(latchkey);
    const entry = await browser.open(begun.verification_uri);
    const page = await browser.submit(await browser.submit(entry, { user_code: begun.user_code }), {});
    const { email: identifier } = await register(latchkey);
    const question = await browser.submit(page, { identifier, password: PASSWORD });
    await browser.submit(question, { decision: 'allow' });
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, { ...begun, interval: 0 });
    assert.deepEqual(await granted({ configuration, tokens }, clientId), WITHOUT_UNKNOWN);
  });
});

/** What an application may do, by the name in the table: tries it. */
const DOORS: Record<string, (application: Application, tokens: Opened) => Promise<boolean>> = {
  '`/connect/userinfo` with its access token': async (_application, { configuration, tokens }) => {
    const claims = await client.fetchUserInfo(configuration, tokens.access_token, client.skipSubjectCheck);
    return claims.sub !== undefined;
  },
  '`/connect/introspect` of its own tokens': async (_application, { configuration, tokens }) =>
    (await client.tokenIntrospection(configuration, tokens.access_token)).active,
  '`/connect/introspect` of another application’s tokens': async ({ clientId, secret }) => {
    const { tokens } = await tokensFor(await applicationOf('first party'), await register(latchkey));
    const configuration = await configurationOf(latchkey, { clientId, secret });
    return (await client.tokenIntrospection(configuration, tokens.access_token)).active;
  },
  'a token for a resource server it may name': async (application, { person }) => {
    const token = await resourceToken(await tokensFor(application, person, { resource: RESOURCE }));
    return decodeJwt(token).aud === RESOURCE;
  },
  '`POST /v1/sessions/switch-context` with its access token': async (_application, { tokens }) =>
    passed(await switchContext(tokens.access_token)),
  '`/v1/me/*` and `/v1/admin/*` with its access token': async (_application, { tokens }) =>
    passed(await latchkey.api('/v1/me/context', { token: tokens.access_token })) ||
    passed(await latchkey.api('/v1/admin/members', { token: tokens.access_token })),
  '`/account` with its access token': async (_application, { tokens }) => {
    const { status, headers } = await latchkey.auth('/account', { token: tokens.access_token });
    return status !== 303 || !headers.get('location')?.includes('/connect/authorize');
  },
  'exchange codes of links and providers at its redirect addresses': async ({ clientId }, { person }) =>
    passed(
      await latchkey.auth('/v1/auth/login/magic-link', {
        body: { email: person.email, clientId, redirectUri: REDIRECT },
      }),
    ),
  'sessions in cookies for pages of its origins': async ({ origin }, { person }) =>
    passed(
      await latchkey.auth('/v1/auth/login/password', {
        body: { identifier: person.email, password: PASSWORD, cookies: true },
        headers: { origin },
      }),
    ),
};

type Opened = Awaited<ReturnType<typeof tokensFor>> & { person: { email: string } };

/** True for a success. A failure must be a refusal of the party: 403 or VALIDATION_FAILED. */
function passed({ status, body, text }: TestResponse): boolean {
  if (status < 300) return true;
  assert.ok(status === 403 || body.errorCode === 'VALIDATION_FAILED', text);
  return false;
}

test('each party can do what the security model lists, and nothing else', async () => {
  const opens: Record<string, string[]> = {};
  for (const party of PARTIES) {
    // biome-ignore lint/performance/noAwaitInLoops: one party after the other
    const [application, person] = [await applicationOf(party), await register(latchkey)];
    const opened = { ...(await tokensFor(application, person)), person };
    for (const [door, open] of Object.entries(DOORS)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      opens[door] = [...(opens[door] ?? []), (await open(application, opened)) ? 'yes' : 'no'];
    }
  }
  const observed = Object.entries(opens).map(([door, each]) => `| ${[door, ...each].join(' | ')} |`);
  assert.deepEqual(observed, await tableOf('parties'));
});

/** The rows of a named table of the security model. */
async function tableOf(name: string): Promise<string[]> {
  const page = await readFile(new URL('../../../docs/security-model.md', import.meta.url), 'utf8');
  const [table = ''] = page.split(`<!-- table: ${name} -->`)[1]?.split('<!-- /table -->') ?? [];
  return table.trim().split('\n').slice(2);
}

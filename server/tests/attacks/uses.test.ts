import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { updateSettings } from '#environments';
import { installationOf } from '#operators';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { revokeSessions } from '#sessions';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';
import { type Browser, browserOf, codeFlow, configurationOf, signInOn } from '#tests/oidc.ts';
import { newOperator, type Operator, signInOperator } from '#tests/operators.ts';
import { EXCHANGE, STOCK } from '#tests/token-exchange.ts';

const PAGE = new URL('../../../docs/security-model.md', import.meta.url);
const REDIRECT = 'http://localhost:5173/callback';

let latchkey: TestLatchkey;
let owner: Operator;
before(async () => {
  latchkey = await startTestLatchkey();
  owner = await signInOperator(latchkey);
});
after(() => latchkey.stop());

/** What happens to a use after a change. */
type Outcome = 'goes on' | 'signs in again' | 'refused';
type Call = (path: string, body?: unknown, method?: string) => Promise<TestResponse['body']>;
type Application = { id: string; clientId: string; secret: string };

/** A project with a person who signed in once, in a browser, and with tokens of their own. */
type World = {
  call: Call;
  projectId: string;
  applications: Record<'web' | 'device' | 'management', Application>;
  person: TestResponse['body'] & { email: string };
  browser: Browser;
};

async function newWorld(): Promise<World> {
  const { body: project } = await owner.call('/console/v1/projects', { body: { name: 'Uses' } });
  const headers = { 'x-project-id': project.id };
  const call: Call = async (path, body, method) => {
    const response = await owner.call(`/console/v1${path}`, { headers, body, ...(method && { method }) });
    assert.ok(response.status < 300, `${path} ${response.text}`);
    return response.body;
  };
  const add = (kind: string, more: Record<string, unknown>) => call('/applications', { kind, name: kind, ...more });
  await call('/apis', { identifier: STOCK, name: 'Stock', scopes: [] });
  const applications = {
    web: await add('web', {
      redirectUris: [REDIRECT],
      apis: [{ identifier: STOCK }],
      grants: ['authorization_code', 'refresh_token', EXCHANGE],
    }),
    device: await add('device', {}),
    management: await add('management', { permissions: ['members:read'] }),
  };
  const person = await register(latchkey, { workspaceId: latchkey.demo.workspaceId, projectId: project.id });
  return { call, projectId: project.id, applications, person, browser: browserOf(latchkey) };
}

const flowOf = ({ applications: { web } }: World) => codeFlow(latchkey, {}, web);
const isRefused = (error: unknown): Outcome => {
  if (!(error instanceof client.ResponseBodyError || error instanceof client.WWWAuthenticateChallengeError))
    throw error;
  return 'refused';
};
const granted = (response: Promise<unknown>): Promise<Outcome> => response.then(() => 'goes on', isRefused);
const answered = async (response: Promise<TestResponse>): Promise<Outcome> => {
  const { status, text } = await response;
  assert.ok([200, 401, 403].includes(status), text);
  return status === 200 ? 'goes on' : 'refused';
};
const led = (url: string, to: string): Outcome => {
  if (/\/sign-in\//.test(url)) return 'signs in again';
  return url.startsWith(to) && !/[?&]error=/.test(url) ? 'goes on' : 'refused';
};

/**
 * What uses a session, or what was obtained with one, without a new sign-in. Each gets ready while nothing has changed.
 * @returns the use itself
 */
const USES: Record<string, (world: World) => Promise<() => Promise<Outcome>>> = {
  'the browser’s session at `/connect/authorize`': async (world) => {
    const flow = await flowOf(world);
    return async () => led((await world.browser.open(flow.url)).url, REDIRECT);
  },
  'the browser’s session at `/account`': async ({ browser, applications: { web } }) => {
    const url = `${latchkey.system.config.addresses.test.auth}/account`;
    const page = await browser.open(`${url}?clientId=${web.clientId}`);
    assert.equal(page.status, 200, page.text);
    return async () => led((await browser.open(url)).url, url);
  },
  'an authorization code': async (world) => {
    const flow = await flowOf(world);
    const back = await world.browser.open(flow.url);
    return () => granted(flow.finish(back));
  },
  'a refresh token of the OpenID provider': async (world) => {
    const flow = await flowOf(world);
    const tokens = await flow.finish(await world.browser.open(flow.url));
    return () => granted(client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? ''));
  },
  'an access token of the OpenID provider, at `/connect/userinfo`': async (world) => {
    const flow = await flowOf(world);
    const tokens = await flow.finish(await world.browser.open(flow.url));
    return () => granted(client.fetchUserInfo(flow.configuration, tokens.access_token, client.skipSubjectCheck));
  },
  'an access token of the OpenID provider, at token exchange': async (world) => {
    const flow = await flowOf(world);
    const tokens = await flow.finish(await world.browser.open(flow.url));
    const exchange = {
      subject_token: tokens.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      resource: STOCK,
    };
    return () => granted(client.genericGrantRequest(flow.configuration, EXCHANGE, exchange));
  },
  'a device code that was confirmed': async ({ browser, applications: { device } }) => {
    const configuration = await configurationOf(latchkey, { clientId: device.clientId });
    const begun = await client.initiateDeviceAuthorization(configuration, { scope: 'openid' });
    const confirm = await browser.submit(await browser.open(begun.verification_uri), { user_code: begun.user_code });
    assert.match((await browser.submit(confirm, {})).text, /Your device is signed in/);
    return () => granted(client.pollDeviceAuthorizationGrant(configuration, { ...begun, interval: 0 }));
  },
  'an access token of Latchkey, at `/v1/me/*`': async ({ person }) => {
    const { access_token: token } = await login(person);
    return () => answered(latchkey.api('/v1/me/context', { token }));
  },
  'a refresh token of Latchkey': async ({ person }) => {
    const { refresh_token } = await login(person);
    return () => answered(latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } }));
  },
  'the secret of a management client (`client_credentials`)': async ({ projectId, applications }) => {
    const configuration = await configurationOf(latchkey, applications.management);
    const { workspaceId } = latchkey.demo;
    return () => granted(client.clientCredentialsGrant(configuration, { workspaceId, projectId, environment: 'test' }));
  },
};

async function login({ email, session: { projectId } }: World['person']): Promise<TestResponse['body']> {
  const { workspaceId } = latchkey.demo;
  const body = { identifier: email, password: PASSWORD, workspaceId, projectId };
  const { status, body: session, text } = await latchkey.auth('/v1/auth/login/password', { body });
  assert.equal(status, 200, text);
  return session;
}

const memberOf = async ({ call, person }: World) => (await call(`/members?q=${person.email}`)).items[0].id;

async function changeApplications({ call, applications }: World, body: Record<string, unknown>): Promise<void> {
  await Promise.all(Object.values(applications).map(({ id }) => call(`/applications/${id}`, body, 'PATCH')));
}

/** What may change between two uses. */
const CHANGES: Record<string, (world: World) => Promise<unknown>> = {
  'nothing changes': async () => undefined,
  'every session is ended': async ({ person: { access_token: token } }) => {
    const { status } = await latchkey.auth('/v1/sessions/logout', { token, body: { everywhere: true } });
    assert.equal(status, 204);
  },
  'the member is blocked': async (world) => world.call(`/members/${await memberOf(world)}/block`, undefined, 'POST'),
  'the member is removed': async (world) => world.call(`/members/${await memberOf(world)}`, undefined, 'DELETE'),
  'the project is deleted': ({ call, projectId }) => call(`/projects/${projectId}`, undefined, 'DELETE'),
  'a second factor is required': ({ call }) => call('/settings', { mfa: 'required' }, 'PATCH'),
  'the application is switched off': (world) => changeApplications(world, { enabled: false }),
  'the application is made third party': (world) => changeApplications(world, { firstParty: false }),
  'the method of the sign-in is switched off': ({ call }) =>
    call('/settings', { signInMethods: ['email_code'] }, 'PATCH'),
};

/** An operator, who signed in to the console; the console's project is built in. */
type AtConsole = { operator: Operator; userId: UserId };

const CONSOLE_USES: Record<string, (world: AtConsole) => Promise<Outcome>> = {
  'the browser’s session at the console’s sign-in': async ({ operator: { browser } }) => {
    const { console } = latchkey.system.config.addresses;
    return led((await browser.open(`${console}/console/v1/sign-in?returnTo=/console/`)).url, `${console}/console/`);
  },
  'a session of the console': ({ operator }) => answered(operator.call('/console/v1/session')),
};

const builtIn = <T>(work: (tx: TxCtx) => Promise<T>) => latchkey.inProject(work, installationOf(latchkey.system).scope);

const CONSOLE_CHANGES: Record<string, (world: AtConsole) => Promise<unknown>> = {
  'nothing changes': async () => undefined,
  'every session is ended': ({ userId }) => builtIn((tx) => revokeSessions(tx, userId, 'all', 'logout')),
  'a second factor is required': () => builtIn((tx) => updateSettings(tx, { mfa: 'required' })),
};

describe('what was obtained earlier is checked again at each use, as the security model lists', () => {
  const observed: Record<string, Record<string, Outcome>> = {};
  const note = (use: string, change: string, outcome: Outcome): void => {
    observed[use] = { ...observed[use], [change]: outcome };
    if (change === 'nothing changes') assert.equal(outcome, 'goes on', use);
  };

  for (const [name, change] of Object.entries(CHANGES))
    test(name, async () => {
      const world = await newWorld();
      const flow = await flowOf(world);
      await flow.finish(await signInOn(latchkey, flow, world.person, world.browser));
      const ready: [string, () => Promise<Outcome>][] = [];
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      for (const [use, begin] of Object.entries(USES)) ready.push([use, await begin(world)]);
      await change(world);
      for (const [use, go] of ready) {
        // biome-ignore lint/performance/noAwaitInLoops: one browser
        note(use, name, await go());
      }
      assert.equal(ready.length, Object.keys(USES).length);
    });

  for (const [name, change] of Object.entries(CONSOLE_CHANGES))
    test(`at the console: ${name}`, async () => {
      for (const [use, go] of Object.entries(CONSOLE_USES)) {
        // biome-ignore lint/performance/noAwaitInLoops: a new operator for each
        const person = await newOperator(latchkey);
        const world = { operator: await signInOperator(latchkey, person), userId: person.userId };
        await change(world);
        note(use, name, await go(world));
        await builtIn((tx) => updateSettings(tx, { mfa: 'optional' }));
      }
      assert.ok(Object.keys(CONSOLE_USES).every((use) => observed[use]?.[name]));
    });

  test('no outcome differs from the page', async () => {
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    const table = [
      line(['what is used, when', ...Object.keys(CHANGES)]),
      `|${'---|'.repeat(Object.keys(CHANGES).length + 1)}`,
      ...Object.entries(observed).map(([use, outcomes]) =>
        line([use, ...Object.keys(CHANGES).map((change) => outcomes[change] ?? '–')]),
      ),
    ].join('\n');
    const page = await readFile(PAGE, 'utf8');
    const marked = /(<!-- table: uses -->\n)([\s\S]*?)(\n<!-- \/table -->)/;
    const written = page.replace(marked, (_all, begin: string, _table: string, end: string) => begin + table + end);
    if (process.env['UPDATE_TABLES']) await writeFile(PAGE, written);
    assert.equal(marked.exec(page)?.[2], table, 'UPDATE_TABLES=1 writes the table');
  });
});

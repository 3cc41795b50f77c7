import { Agent, request } from 'node:http';
import { type Browser, loadFlows, signInOnPages } from './code-flow.ts';
import type { Subject } from './installation.ts';
import { CONNECTIONS, load, loadChains, loadResponses, type Measured, type Server } from './load.ts';
import { type BaselineResult, runBaseline, startBaseline } from './server.ts';

export type Row = { path: string; measured: Measured; baseline: string; bare: BaselineResult; bar: number };

const PASSWORD = 'correct horse battery staple';
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const HELLO = 'bare Fastify, one JSON object';

/** The measured paths, by name. */
export const paths: Record<string, (subject: Subject) => Promise<Row>> = {
  context,
  token,
  login,
  refresh,
  status,
  discovery,
  jwks,
  code,
};

/** The latency of reading the context while other clients sign in at full speed: 99th percentile in milliseconds. */
export async function flood(subject: Subject): Promise<{ p99: number; loginRate: number }> {
  const { access_token } = await register(subject, 'calm');
  const headers = { authorization: `Bearer ${access_token}` };
  const { agent, emails } = await manyPeople(subject, 'flood');
  const [logins, reads] = await Promise.all([
    loadChains(subject.pid, emails, (email) => signIn(subject, agent, email)),
    loadChains(subject.pid, ['', ''], (state) => get(`${subject.apiUrl}/v1/me/context`, headers).then(() => state)),
  ]);
  agent.destroy();
  return { p99: reads.p99, loginRate: logins.rate };
}

const apiOf = ({ apiUrl, pid }: Subject): Server => ({ url: apiUrl, pid });
const authOf = ({ authUrl, pid }: Subject): Server => ({ url: authUrl, pid });

/** Reads the context of a session, over and over. */
export async function loadContext(subject: Subject, connections = CONNECTIONS): Promise<Measured> {
  const { access_token } = await register(subject, 'context');
  const headers = { authorization: `Bearer ${access_token}` };
  return load(apiOf(subject), [{ path: '/v1/me/context', headers }], { connections });
}

async function context(subject: Subject): Promise<Row> {
  return {
    path: 'GET /v1/me/context, valid session',
    measured: await loadContext(subject),
    baseline: HELLO,
    bare: await hello(),
    bar: 0.7,
  };
}

async function status(subject: Subject): Promise<Row> {
  return {
    path: 'GET /api/status/summary',
    measured: await load(apiOf(subject), [{ path: '/api/status/summary' }]),
    baseline: HELLO,
    bare: await hello(),
    bar: 0.9,
  };
}

function discovery(subject: Subject): Promise<Row> {
  return document(subject, '/.well-known/openid-configuration');
}

function jwks(subject: Subject): Promise<Row> {
  return document(subject, '/connect/jwks');
}

async function document(subject: Subject, path: string): Promise<Row> {
  return {
    path: `GET ${path}`,
    measured: await load(authOf(subject), [{ path }]),
    baseline: HELLO,
    bare: await hello(),
    bar: 0.9,
  };
}

async function token(subject: Subject): Promise<Row> {
  const { workspaceId, projectId, clientId, clientSecret } = subject;
  const credentials = (id: string, secret: string) => ({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  const body = new URLSearchParams({
    ...credentials(clientId, clientSecret),
    workspaceId,
    projectId,
    environment: 'test',
    scope: 'members:read',
  }).toString();
  const measured = await load(authOf(subject), [{ method: 'POST', path: '/connect/token', headers: form, body }]);
  const bare = await startBaseline('oidc');
  const reached = await load(bare, [
    {
      method: 'POST',
      path: '/token',
      headers: form,
      body: new URLSearchParams(credentials('bench', 'bench-secret')).toString(),
    },
  ]);
  await bare.stop();
  return {
    path: 'POST /connect/token, client_credentials',
    measured,
    baseline: 'bare oidc-provider, in memory, opaque tokens',
    bare: reached,
    bar: 0.9,
  };
}

async function login(subject: Subject): Promise<Row> {
  const { agent, emails } = await manyPeople(subject, 'login');
  const measured = await loadChains(subject.pid, emails, (email) => signIn(subject, agent, email));
  agent.destroy();
  return {
    path: 'password login',
    measured,
    baseline: 'Argon2id at the same parameters',
    bare: await runBaseline('argon2'),
    bar: 0.85,
  };
}

/** One person per sign-in, because parallel attempts for one person are throttled. */
async function manyPeople(subject: Subject, prefix: string): Promise<{ agent: Agent; emails: string[] }> {
  const people = await registerMany(subject, prefix, CONNECTIONS);
  return { agent: new Agent({ keepAlive: true, maxSockets: 64 }), emails: people.map(({ email }) => email) };
}

async function signIn(subject: Subject, agent: Agent, email: string): Promise<string> {
  const body = JSON.stringify({ identifier: email, password: PASSWORD });
  await call(agent, `${subject.authUrl}/v1/auth/login/password`, { body });
  return email;
}

async function get(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  await response.text();
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
}

/** Rotates the refresh tokens of 32 sessions, over and over. */
export async function loadRefreshes(subject: Subject, connections = CONNECTIONS): Promise<Measured> {
  const sessions = await registerMany(subject, 'refresh', connections);
  const request = { method: 'POST', path: '/v1/sessions/refresh', headers: json } as const;
  return loadResponses(authOf(subject), request, {
    states: sessions.map(({ refresh_token }) => refresh_token),
    bodyOf: (token) => JSON.stringify({ refresh_token: token }),
    read: (response) => JSON.parse(response).refresh_token,
  });
}

async function refresh(subject: Subject): Promise<Row> {
  const measured = await loadRefreshes(subject);
  const bare = await runBaseline('transaction', { BENCH_DATABASE_URL: subject.databaseUrl });
  return {
    path: 'refresh rotation',
    measured,
    baseline: 'bare two-statement PostgreSQL transaction',
    bare,
    bar: 0.6,
  };
}

async function hello(): Promise<BaselineResult> {
  const bare = await startBaseline('hello');
  const measured = await load(bare, [{ path: '/' }]);
  await bare.stop();
  return measured;
}

/** The code flow of a browser that is signed in: authorize and token. @param signedIn runs before the first flow */
export async function loadCodeFlows(subject: Subject, signedIn = async () => undefined): Promise<Measured> {
  const { appClientId: clientId, issuerHost: host } = subject;
  const flow = { server: authOf(subject), authorize: '/connect/authorize', token: '/connect/token', clientId, host };
  const signIn = async (browser: Browser) => {
    const { email } = await register(subject, 'code');
    await signInOnPages(flow, browser, { email, password: PASSWORD });
  };
  return loadFlows(flow, signIn, signedIn);
}

async function code(subject: Subject): Promise<Row> {
  const measured = await loadCodeFlows(subject);
  const bare = await startBaseline('code');
  const flow = { server: bare, authorize: '/auth', token: '/token', clientId: 'bench', host: 'localhost' };
  const reached = await loadFlows(
    flow,
    async () => undefined,
    async () => undefined,
  );
  await bare.stop();
  return {
    path: 'OIDC code flow, signed-in browser: authorize and token',
    measured,
    baseline: 'bare oidc-provider, in memory',
    bare: reached,
    bar: 0,
  };
}

type Registered = { email: string; access_token: string; refresh_token: string };

let registered = 0;

/** Registers a new person. @param prefix begins their email address */
async function register({ authUrl }: Subject, prefix: string): Promise<Registered> {
  registered += 1;
  const email = `${prefix}-${registered}@example.com`;
  const response = await fetch(`${authUrl}/v1/auth/register`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (!response.ok) throw new Error(await response.text());
  return { email, ...JSON.parse(await response.text()) };
}

function registerMany(subject: Subject, prefix: string, count: number): Promise<Registered[]> {
  return Promise.all(Array.from({ length: count }, () => register(subject, prefix)));
}

/** Sends a body by POST, or reads. @throws Error if the response is not 200 */
export function call(
  agent: Agent,
  url: string,
  { body, headers = json }: { body?: string; headers?: Record<string, string> },
): Promise<string> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = request(url, { method, agent, headers: { ...headers, ...length } }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      incoming.on('end', () =>
        incoming.statusCode === 200 ? resolve(text) : reject(new Error(`${url}: ${incoming.statusCode} ${text}`)),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

type Person = { access: string; refresh: string; signIn: () => Promise<unknown> };

/** People with a session each, who can sign in again. */
export async function signedInPeople(subject: Subject, prefix: string): Promise<{ people: Person[]; agent: Agent }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * CONNECTIONS });
  const people = (await registerMany(subject, prefix, CONNECTIONS)).map(({ email, access_token, refresh_token }) => ({
    access: access_token,
    refresh: refresh_token,
    signIn: () => signIn(subject, agent, email),
  }));
  return { people, agent };
}

import { Agent, request } from 'node:http';
import type { Subject } from './installation.ts';
import { load, loadChains, type Measured } from './load.ts';
import { runBaseline, startBaseline } from './server.ts';

export type Row = { path: string; measured: Measured; baseline: string; baselineRate: number; bar: number };

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
};

/** The latency of reading the context while other clients sign in at full speed: 99th percentile in milliseconds. */
export async function flood(subject: Subject): Promise<{ p99: number; loginRate: number }> {
  const { access_token } = await register(subject, 'calm');
  const headers = { authorization: `Bearer ${access_token}` };
  const { agent, people } = await manyPeople(subject, 'flood');
  const [logins, reads] = await Promise.all([
    loadChains(people, (name) => signIn(subject, agent, name)),
    loadChains(['', ''], (state) => get(`${subject.apiUrl}/v1/me/context`, headers).then(() => state)),
  ]);
  agent.destroy();
  return { p99: reads.p99, loginRate: logins.rate };
}

async function context(subject: Subject): Promise<Row> {
  const { access_token } = await register(subject, 'context');
  const headers = { authorization: `Bearer ${access_token}` };
  return {
    path: 'GET /v1/me/context, valid session',
    measured: await load(subject.apiUrl, [{ path: '/v1/me/context', headers }]),
    baseline: HELLO,
    baselineRate: await helloRate(),
    bar: 0.5,
  };
}

async function status(subject: Subject): Promise<Row> {
  return {
    path: 'GET /api/status/summary',
    measured: await load(subject.apiUrl, [{ path: '/api/status/summary' }]),
    baseline: HELLO,
    baselineRate: await helloRate(),
    bar: 0.8,
  };
}

function discovery(subject: Subject): Promise<Row> {
  return document(subject, '/.well-known/openid-configuration');
}

function jwks(subject: Subject): Promise<Row> {
  return document(subject, '/connect/jwks');
}

async function document({ authUrl }: Subject, path: string): Promise<Row> {
  return {
    path: `GET ${path}`,
    measured: await load(authUrl, [{ path }]),
    baseline: HELLO,
    baselineRate: await helloRate(),
    bar: 0.8,
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
  const measured = await load(subject.authUrl, [{ method: 'POST', path: '/connect/token', headers: form, body }]);
  const bare = await startBaseline('oidc');
  const { rate } = await load(bare.url, [
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
    baselineRate: rate,
    bar: 0.8,
  };
}

async function login(subject: Subject): Promise<Row> {
  const { agent, people } = await manyPeople(subject, 'login');
  const measured = await loadChains(people, (name) => signIn(subject, agent, name));
  agent.destroy();
  return {
    path: 'password login',
    measured,
    baseline: 'Argon2id at the same parameters',
    baselineRate: await runBaseline('argon2'),
    bar: 0.9,
  };
}

/** One person per sign-in, because parallel attempts for one person are throttled. */
async function manyPeople(subject: Subject, prefix: string): Promise<{ agent: Agent; people: string[] }> {
  const people = Array.from({ length: 32 }, (_, index) => `${prefix}${index}`);
  await Promise.all(people.map((name) => register(subject, name)));
  return { agent: new Agent({ keepAlive: true, maxSockets: 64 }), people };
}

async function signIn(subject: Subject, agent: Agent, name: string): Promise<string> {
  const body = JSON.stringify({ identifier: `${name}@example.com`, password: PASSWORD });
  await post(agent, `${subject.authUrl}/v1/auth/login/password`, body);
  return name;
}

async function get(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  await response.text();
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
}

async function refresh(subject: Subject): Promise<Row> {
  const sessions = await Promise.all(Array.from({ length: 32 }, (_, index) => register(subject, `refresh${index}`)));
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const measured = await loadChains(
    sessions.map(({ refresh_token }) => refresh_token),
    async (refreshToken) =>
      JSON.parse(
        await post(agent, `${subject.authUrl}/v1/sessions/refresh`, JSON.stringify({ refresh_token: refreshToken })),
      ).refresh_token,
  );
  agent.destroy();
  const baselineRate = await runBaseline('transaction', { BENCH_DATABASE_URL: subject.databaseUrl });
  return {
    path: 'refresh rotation',
    measured,
    baseline: 'bare two-statement PostgreSQL transaction',
    baselineRate,
    bar: 0.5,
  };
}

async function helloRate(): Promise<number> {
  const bare = await startBaseline('hello');
  const { rate } = await load(bare.url, [{ path: '/' }]);
  await bare.stop();
  return rate;
}

async function register({ authUrl }: Subject, name: string): Promise<{ access_token: string; refresh_token: string }> {
  const response = await fetch(`${authUrl}/v1/auth/register`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email: `${name}@example.com`, password: PASSWORD }),
  });
  if (!response.ok) throw new Error(await response.text());
  return JSON.parse(await response.text());
}

function post(agent: Agent, url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { ...json, 'content-length': Buffer.byteLength(body) } },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        incoming.on('end', () => (incoming.statusCode === 200 ? resolve(text) : reject(new Error(text))));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

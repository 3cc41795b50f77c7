import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import { eventually, PASSWORD } from './harness.ts';
import { freePortBase } from './ports.ts';
import { type Receiver, respondWith, startReceiver } from './receiver.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));
const CLIENTS = 4;

/** The number of crashes, and a callback for progress. */
export type CrashOptions = { kills: number; restarts: number; say?: (line: string) => void };
export type CrashReport = { acknowledged: number; refused: number; received: number; repeated: number };

type Role = 'server' | 'worker';
type Site = { folder: string; databaseUrl: string; bases: Record<Role, number> };

const ROLES: Record<Role, string> = { server: 'auth,api', worker: 'worker' };

/**
 * Starts one Latchkey process.
 * @returns the process, once it is ready
 */
async function start({ folder, databaseUrl, bases }: Site, role: Role): Promise<ChildProcess> {
  const { server } = bases;
  const child = spawn(process.execPath, [ENTRY, 'serve', '--roles', ROLES[role]], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'cache'),
      DATABASE_URL: databaseUrl,
      LATCHKEY_DATA_DIR: folder,
      LATCHKEY_LOG_LEVEL: 'error',
      LATCHKEY_SECRET: 'a secret of the crash test that is long enough',
      LATCHKEY_PORT_BASE: String(bases[role]),
      LATCHKEY_TEST_AUTH_URL: `http://localhost:${server + 1}`,
      LATCHKEY_TEST_API_URL: `http://localhost:${server + 2}`,
    },
  });
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Ready in')) resolve();
    });
  });
  return child;
}

const alive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (!alive(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Restarts a role until it stays up, because the database may be down. */
async function restart(site: Site, role: Role): Promise<ChildProcess> {
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential attempts
    const child = await start(site, role);
    if (alive(child)) return child;
    await pause(200);
  }
}

type Credentials = { token: string; endpoints: { path: string; secret: string }[]; apiUrl: string };

async function json(url: string, init: RequestInit = {}): Promise<Record<string, string>> {
  const response = await fetch(url, init);
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text);
}

/** Creates a customer whose profile will change, and two webhook endpoints. */
async function prepare({ folder }: Site, receiver: Receiver): Promise<Credentials> {
  const demo = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = demo.environments.test;
  const headers = { 'content-type': 'application/json' };
  const registration = JSON.stringify({ email: 'crash@example.com', password: PASSWORD });
  const customer = await json(`${authUrl}/v1/auth/register`, { method: 'POST', headers, body: registration });
  const management = await json(`${authUrl}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId: demo.workspaceId,
      projectId: demo.projects[0].id,
      environment: 'test',
      client_id: managementClientId,
      client_secret: managementClientSecret,
    }),
  });
  const endpoints = await Promise.all(
    ['/steady', '/flaky'].map(async (path) => {
      const { secret } = await json(`${apiUrl}/v1/admin/webhooks/endpoints`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${management['access_token']}` },
        body: JSON.stringify({ url: receiver.origin + path, events: ['profile.*'] }),
      });
      assert.ok(secret);
      return { path, secret };
    }),
  );
  return { token: customer['access_token'] ?? '', endpoints, apiUrl };
}

/** Responds 500 to the first attempt of every fifth event. */
function makeFlaky(receiver: Receiver): void {
  const seen = new Set<string>();
  receiver.on('/flaky', (response, received, request) => {
    const id = received.headers['webhook-id'] ?? '';
    const fails = !seen.has(id) && id.charCodeAt(id.length - 1) % 5 === 0;
    seen.add(id);
    respondWith(fails ? 500 : 200)(response, received, request);
  });
}

/** Changes a profile repeatedly. Records acknowledged changes by the correlation id of their request. */
class Load {
  readonly acknowledged: string[] = [];
  refused = 0;
  #running = true;
  readonly #clients: Promise<void>[];

  constructor(credentials: Credentials) {
    this.#clients = Array.from({ length: CLIENTS }, (_, client) => this.#run(credentials, client));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #run({ token, apiUrl }: Credentials, client: number): Promise<void> {
    for (let count = 0; this.#running; count += 1) {
      const correlationId = `crash-${client}-${count}`;
      // biome-ignore lint/performance/noAwaitInLoops: a client makes one change after the other
      const status = await fetch(`${apiUrl}/v1/me/profile`, {
        method: 'PATCH',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'x-correlation-id': correlationId,
        },
        body: JSON.stringify({ displayName: correlationId }),
        signal: AbortSignal.timeout(10_000),
      }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => null,
      );
      if (status === 200) this.acknowledged.push(correlationId);
      else this.refused += 1;
      await pause(status === 200 ? 5 : 50);
    }
  }
}

/** The events received under a path, counted by correlation id; verifies the signature of every request. */
function verified(receiver: Receiver, { path, secret }: { path: string; secret: string }): Map<string, number> {
  const counts = new Map<string, number>();
  const webhook = new Webhook(secret);
  for (const { body, headers } of receiver.at(path)) {
    webhook.verify(body, headers);
    const { correlationId, id } = JSON.parse(body);
    assert.equal(id, headers['webhook-id']);
    counts.set(correlationId, (counts.get(correlationId) ?? 0) + 1);
  }
  return counts;
}

/** Checks that every acknowledged change is in the log, numbered without gaps. */
async function checkLog(databaseUrl: string, acknowledged: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select correlation_id, sequence from events where type = 'profile.updated' and correlation_id = any($1)`,
      [acknowledged],
    );
    const logged = new Set(rows.map(({ correlation_id }) => correlation_id));
    assert.deepEqual(
      acknowledged.filter((id) => !logged.has(id)),
      [],
      'acknowledged, and not in the log',
    );
    const { rows: gaps } = await client.query(
      `select project_id from events group by workspace_id, project_id, environment
       having count(*) <> max(sequence) or count(*) <> count(distinct sequence)`,
    );
    assert.deepEqual(gaps, [], 'numbered without gaps');
  } finally {
    await client.end();
  }
}

/**
 * Changes data on a running Latchkey while its server and worker are killed with -9 and PostgreSQL is restarted, at
 * random times. Afterwards every acknowledged change must be in the log, and its event must have reached both receivers
 * at least once, signed and complete (WH-1, BI-5).
 */
export async function crashTest({ kills, restarts, say = () => undefined }: CrashOptions): Promise<CrashReport> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-crash-'));
  await chmod(folder, 0o755);
  const dataDir = join(folder, 'database');
  const openDatabase = (port: number) =>
    startEmbeddedPostgres({ dataDir, port, database: 'latchkey', progress: () => undefined });
  let postgres = await openDatabase(0);
  const bases = { server: await freePortBase(), worker: await freePortBase() };
  const site: Site = { folder, databaseUrl: postgres.url, bases };
  const receiver = await startReceiver();
  makeFlaky(receiver);
  const processes = { server: await restart(site, 'server'), worker: await restart(site, 'worker') };
  try {
    const credentials = await prepare(site, receiver);
    const load = new Load(credentials);
    for (let kill = 1; kill <= kills; kill += 1) {
      const role: Role = Math.random() < 0.5 ? 'server' : 'worker';
      // biome-ignore lint/performance/noAwaitInLoops: one crash after the other
      await pause(100 + Math.random() * 900);
      await end(processes[role], 'SIGKILL');
      const interval = Math.max(1, Math.floor(kills / restarts));
      if (kill % interval === 0 && kill / interval <= restarts) {
        await postgres.stop();
        postgres = await openDatabase(Number(new URL(site.databaseUrl).port));
        say('PostgreSQL restarted');
      }
      processes[role] = await restart(site, role);
      say(`${kill} of ${kills}: ${role} killed; ${load.acknowledged.length} changes acknowledged`);
    }
    await eventually(async () => assert.ok(load.acknowledged.length > 5 * kills));
    await load.stop();
    const expected = load.acknowledged;
    for (const [role, child] of Object.entries(processes)) assert.ok(alive(child), `the ${role} ended by itself`);
    await eventually(async () => {
      for (const endpoint of credentials.endpoints) {
        const got = new Set(receiver.at(endpoint.path).map(({ body }) => JSON.parse(body).correlationId));
        const missing = expected.filter((id) => !got.has(id));
        assert.deepEqual(missing, [], `acknowledged, and not received at ${endpoint.path}`);
      }
    });
    await checkLog(site.databaseUrl, expected);
    const counts = credentials.endpoints.map((endpoint) => verified(receiver, endpoint));
    const received = counts.reduce((sum, one) => sum + one.size, 0);
    const repeated = receiver.received.length - received;
    return { acknowledged: expected.length, refused: load.refused, received, repeated };
  } finally {
    await Promise.all(Object.values(processes).map((child) => end(child, 'SIGTERM')));
    await receiver.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

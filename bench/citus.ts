import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createDemo, startLatchkey } from '../server/hosts/index.ts';
import { loadConfig } from '../server/platform/config.ts';
import { connectAlone } from '../server/platform/connections.ts';
import { observeStatements } from '../server/platform/db.ts';
import { divide } from '../server/platform/division.ts';
import { createLog } from '../server/platform/log.ts';
import { migrate } from '../server/platform/migrate.ts';

/**
 * Registers people, signs them in and refreshes their sessions in several workspaces on a Citus cluster, with one server and
 * with 1, 2 and 4 workers, and says how much processor time each request costs the coordinator and the workers. Rates say
 * nothing here: all servers share the cores of one machine.
 * `npm run bench:citus -- FOLDER_OF_CLUSTER_SH`; the default is ../shared/citus.
 */
const script = resolve(process.argv[2] ?? '../shared/citus', 'cluster.sh');
const PORT = 6_304;
const WORKSPACES = 16;
const ROUNDS = 8;
const TICKS_PER_SECOND = 100;
const call = promisify(execFile);

/** The processor time of a server since its start in milliseconds: of its first process, its children, and those that ended. */
async function milliseconds(folder: string, name: string): Promise<number> {
  const [pid = ''] = (await readFile(join(folder, name, 'postmaster.pid'), 'utf8')).split('\n');
  const times = async (process: string) => {
    const fields = (await readFile(`/proc/${process}/stat`, 'utf8'))
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    const [parent = 0, own = 0, system = 0, ended = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (index) => fields[index],
    );
    return { parent, own: own + system, ended: ended + endedSystem };
  };
  const first = await times(pid);
  const others = await Promise.all(
    (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map((entry) => times(entry).catch(() => null)),
  );
  const children = others.filter((other) => other?.parent === Number(pid)).map((other) => other?.own ?? 0);
  return (1_000 / TICKS_PER_SECOND) * children.reduce((sum, ticks) => sum + ticks, first.own + first.ended);
}

async function post(url: string, body: object): Promise<Session> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return Object(await response.json());
}

type Session = { access_token: string; refresh_token: string };
type Cluster = { folder: string; databaseUrl: string; names: string[] };

async function startCluster(workers: number, divided: boolean): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-citus-'));
  await chmod(folder, 0o755);
  const { stdout } = await call(script, ['--no-fsync', folder, String(PORT), String(workers)]);
  const databaseUrl = stdout.trim().split('\n').at(-1) ?? '';
  await migrate(databaseUrl, () => undefined);
  const client = await connectAlone(databaseUrl, { name: 'bench' });
  if (divided) await divide(client, () => undefined);
  await client.end();
  const names = ['coordinator', ...Array.from({ length: workers }, (_, index) => `worker${index + 1}`)];
  return { folder, databaseUrl, names };
}

function serve({ folder, databaseUrl }: Cluster) {
  const config = loadConfig({
    LATCHKEY_PORT_BASE: '16400',
    LATCHKEY_SECRET: 'a secret of the benchmark that is long enough',
    LATCHKEY_DATA_DIR: folder,
    LATCHKEY_LOG_LEVEL: 'silent',
    LATCHKEY_ROLES: 'auth,api',
    LATCHKEY_DATABASE_STATEMENT_SECONDS: '60',
    LATCHKEY_DATABASE_LOCK_SECONDS: '60',
    DATABASE_URL: databaseUrl,
  });
  return startLatchkey({
    config,
    databaseUrl,
    secrets: config.secrets,
    log: createLog(config),
    progress: () => undefined,
    testPasswordCost: { memoryCost: 8, timeCost: 1 },
  });
}

type Request = (who: { clientId: string; round: number; session: Session | undefined }) => Promise<Session>;

function requestsTo(auth: string): Record<string, Request> {
  const password = 'correct horse battery staple';
  const emailOf = (clientId: string, round: number) => `p${round}.${clientId.slice(0, 8)}@bench.example`;
  return {
    register: ({ clientId, round }) =>
      post(`${auth}/v1/auth/register`, { clientId, email: emailOf(clientId, round), password }),
    'sign in': ({ clientId, round }) =>
      post(`${auth}/v1/auth/login/password`, { clientId, identifier: emailOf(clientId, round), password }),
    refresh: ({ session }) => post(`${auth}/v1/sessions/refresh`, { refresh_token: session?.refresh_token }),
  };
}

/** Sends each kind of request for each workspace in rounds, and prints what one costs. */
async function measure(
  title: string,
  { folder, names }: Cluster,
  asked: { auth: string; clients: string[] },
): Promise<void> {
  const spent = () => Promise.all(names.map((name) => milliseconds(folder, name)));
  const sessions = new Map<string, Session>();
  for (const [kind, request] of Object.entries(requestsTo(asked.auth))) {
    let statements = 0;
    const stop = observeStatements(() => {
      statements += 1;
    });
    // biome-ignore lint/performance/noAwaitInLoops: one kind after the other
    const before = await spent();
    for (let round = 0; round < ROUNDS; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one request of each workspace at a time
      const made = await Promise.all(
        asked.clients.map((clientId) => request({ clientId, round, session: sessions.get(clientId) })),
      );
      for (const [index, session] of made.entries()) sessions.set(asked.clients[index] ?? '', session);
    }
    const after = await spent();
    stop();
    const each = after.map((time, index) => (time - (before[index] ?? 0)) / (WORKSPACES * ROUNDS));
    const [first = 0, ...others] = each;
    const share = (100 * first) / each.reduce((sum, time) => sum + time, 0);
    const workers = others.map((time) => time.toFixed(1)).join(' + ');
    const perRequest = (statements / (WORKSPACES * ROUNDS)).toFixed(1);
    console.log(`| ${title} | ${kind} | ${perRequest} | ${first.toFixed(1)} | ${workers} | ${share.toFixed(0)} % |`);
  }
}

async function run(workers: number, divided: boolean): Promise<void> {
  const cluster = await startCluster(workers, divided);
  const latchkey = await serve(cluster);
  const clients: string[] = [];
  for (let number = 0; number < WORKSPACES; number += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const demo = await createDemo(latchkey.system, `operator.${number}@demo.example`, { organizations: false });
    clients.push(demo.environments.test.clientId);
  }
  const { auth } = latchkey.system.config.addresses.test;
  await measure(divided ? `${workers} workers` : 'not divided', cluster, { auth, clients });
  await latchkey.stop();
  await call(script, ['stop', cluster.folder]);
  await rm(cluster.folder, { recursive: true, force: true });
}

console.log(
  '| installation | request | statements | coordinator, ms | workers, ms | share of the coordinator |\n| --- | --- | ---: | ---: | --- | ---: |',
);
await run(1, false);
for (const workers of [1, 2, 4]) {
  // biome-ignore lint/performance/noAwaitInLoops: one cluster at a time
  await run(workers, true);
}
process.exit(0);

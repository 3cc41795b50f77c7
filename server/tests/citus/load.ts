import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { createDemo, type Demo } from '#hosts';
import { eventually, newEmail, PASSWORD, type TestLatchkey } from '#tests/harness.ts';
import { CLUSTER } from '#tests/postgres.ts';

const WORKSPACES = 14;

export type Acknowledged = { demo: Demo; userId: string; refreshToken: string };
type Failure = { workspaceId: string; status: number; retryAfter: string | null; second: number };

/** The user of an access token. */
function subjectOf(token: string): string {
  const [, payload = ''] = token.split('.');
  return Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).sub;
}

/** Creates {@link WORKSPACES} workspaces, each with a project that people register in. */
export async function createDemos(latchkey: TestLatchkey): Promise<Demo[]> {
  const demos: Demo[] = [];
  for (let number = 0; number < WORKSPACES; number += 1)
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    demos.push(await createDemo(latchkey.system, `operator.${number}@demo.example`, { organizations: false }));
  return demos;
}

/** Registers people in turn in each workspace, until told to stop or the test ends. */
export function load(t: TestContext, latchkey: TestLatchkey, demos: readonly Demo[]) {
  const acknowledged: Acknowledged[] = [];
  const failures: Failure[] = [];
  const began = performance.now();
  let running = true;
  const fail = async (demo: Demo, { status, headers }: Response) => {
    const retryAfter = headers.get('retry-after');
    failures.push({
      workspaceId: demo.workspaceId,
      status,
      retryAfter,
      second: Math.round((performance.now() - began) / 1000),
    });
    if (running) await setTimeout(Number(retryAfter) * 1000);
  };
  const one = async (demo: Demo) => {
    const { auth } = latchkey.system.config.addresses.test;
    const { clientId } = demo.environments.test;
    const source = newSource();
    const post = (path: string, body: object) =>
      fetch(auth + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': source },
        body: JSON.stringify(body),
      });
    const registered = await post('/v1/auth/register', { clientId, email: newEmail(), password: PASSWORD });
    if (registered.status !== 200) return fail(demo, registered);
    const session = Object(await registered.json());
    const refreshed = await post('/v1/sessions/refresh', { refresh_token: session.refresh_token });
    if (refreshed.status !== 200) await fail(demo, refreshed);
    const token = refreshed.status === 200 ? Object(await refreshed.json()).refresh_token : session.refresh_token;
    acknowledged.push({ demo, userId: subjectOf(session.access_token), refreshToken: token });
  };
  const loops = demos.map(async (demo) => {
    // biome-ignore lint/performance/noAwaitInLoops: one request of a workspace after the other
    while (running) await one(demo);
  });
  const end = async () => {
    running = false;
    await Promise.all(loops);
    return { acknowledged, failures };
  };
  t.after(end);
  const servedIn = (demo: Demo) => acknowledged.filter((one) => one.demo === demo).length;
  /** Waits until each of these workspaces has registered two more people. */
  const served = async (some: readonly Demo[]) => {
    const before = new Map(some.map((demo) => [demo, servedIn(demo)]));
    const waiting = () => some.filter((demo) => servedIn(demo) < (before.get(demo) ?? 0) + 2);
    try {
      await eventually(async () => assert.equal(waiting().length, 0));
    } catch {
      assert.fail(await report(latchkey, waiting(), failures));
    }
  };
  return { acknowledged, failures, served, end };
}

let sources = 0;

/** People are at many addresses: one alone may not register so many. */
function newSource(): string {
  sources += 1;
  return `198.18.${(sources >> 8) % 256}.${sources % 256}`;
}

/** Why workspaces are not served: how their requests failed, and what the servers wait for. */
async function report(latchkey: TestLatchkey, waiting: readonly Demo[], failures: readonly Failure[]): Promise<string> {
  const failed = failures.map(({ workspaceId, status, second }) => `${second} s: ${workspaceId} ${status}`);
  const servers = await Promise.all((CLUSTER?.ports ?? []).map((port) => describeServer(latchkey.databaseUrl, port)));
  return [
    `not served: ${waiting.map(({ workspaceId }) => workspaceId).join(', ')}`,
    `${failures.length} requests failed, at last`,
    ...failed.slice(-40),
    ...servers,
  ].join('\n');
}

async function describeServer(databaseUrl: string, port: string): Promise<string> {
  const url = new URL(databaseUrl);
  url.port = port;
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const prepared = await client.query(
      'select gid, prepared from pg_prepared_xacts where database = current_database()',
    );
    const active = await client.query(
      `select pid, state, wait_event, pg_blocking_pids(pid) as blocked_by, now() - query_start as since, left(query, 200) as query
       from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    return `server ${port}: prepared ${JSON.stringify(prepared.rows)}, active ${JSON.stringify(active.rows, null, 1)}`;
  } catch (error) {
    return `server ${port}: ${error}`;
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Everything acknowledged is there, with a numbered event, without gaps and duplicates. */
export async function expectKept(
  { system }: { system: Pick<TestLatchkey['system'], 'pool'> },
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const ids = acknowledged.map(({ userId }) => userId);
  const { pool } = system;
  const found = await pool.query('select id from users where id = any($1)', [ids]);
  assert.equal(found.rowCount, ids.length);
  await eventually(async () => {
    const numbered = await pool.query(
      "select distinct data->>'userId' from events where type = 'user.created' and sequence is not null and data->>'userId' = any($1)",
      [ids],
    );
    assert.equal(numbered.rowCount, ids.length);
  });
  const { rows } = await pool.query(
    'select count(*) as events, count(distinct sequence) as numbers, max(sequence) as last from events where sequence is not null group by workspace_id, project_id, environment',
  );
  for (const { events, numbers, last } of rows) assert.deepEqual([numbers, last], [events, events]);
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Subject } from './installation.ts';
import { load } from './load.ts';

export type Finding = { what: string; measured: string; bar: string; met: boolean | null };

const RATES = [50, 200, 500];
const SECONDS = 10;
const BACKLOG = 1_000_000;
const DRAINED = 10_000;
const ENDPOINTS_PER_PROJECT = 50;
/** Events per second in each of two projects with fifty endpoints each. */
const FAN_OUT_RATE = 4;
const json = { 'content-type': 'application/json' };

type Arrival = { id: string; at: number };

/** Counts deliveries and their delay after the change. Requests to paths that start with /hole never get a response. */
class Sink {
  arrivals: Arrival[] = [];
  /** When events were committed, by id. */
  readonly committed = new Map<string, number>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((incoming, response) => {
      const at = performance.now();
      incoming.resume();
      incoming.on('end', () => {
        const path = incoming.url ?? '';
        if (path.startsWith('/hole')) return;
        this.arrivals.push({ id: String(incoming.headers['webhook-id']), at });
        response.end();
      });
    });
  }

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Waits until the given number has arrived. */
  async reach(count: number, seconds: number): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    while (this.arrivals.length < count && performance.now() < deadline) {
      // biome-ignore lint/performance/noAwaitInLoops: polls
      await pause(5);
    }
    if (this.arrivals.length < count) throw new Error(`${this.arrivals.length} of ${count} deliveries arrived.`);
  }

  percentiles(): { p50: number; p99: number } {
    const sorted = this.arrivals
      .map(({ id, at }) => Math.max(0, at - (this.committed.get(id) ?? at)))
      .sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
    return { p50: at(0.5), p99: at(0.99) };
  }
}

/** A project with a customer and a back end that use it. */
type Project = {
  projectId: string;
  customer: string;
  admin: (path: string, body?: unknown, method?: string) => Promise<Record<string, string>>;
};

async function call(url: string, init: RequestInit): Promise<Record<string, string>> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text === '' ? {} : JSON.parse(text);
}

async function openProject(subject: Subject, projectId: string, name: string): Promise<Project> {
  const { authUrl, apiUrl, workspaceId, owner } = subject;
  const sign = (path: string, body: Record<string, unknown>) =>
    call(authUrl + path, { method: 'POST', headers: json, body: JSON.stringify({ workspaceId, projectId, ...body }) });
  const password = 'correct horse battery staple';
  const customer = await sign('/v1/auth/register', { email: `${name}@example.com`, password });
  const { access_token } = await sign('/v1/auth/login/password', { identifier: owner.email, password: owner.password });
  const headers = { ...json, authorization: `Bearer ${access_token}` };
  return {
    projectId,
    customer: customer['access_token'] ?? '',
    admin: (path, body, method = 'POST') =>
      call(
        apiUrl + path,
        body === undefined
          ? { method, headers: { authorization: headers.authorization } }
          : { method, headers, body: JSON.stringify(body) },
      ),
  };
}

/**
 * Commits events at a steady rate, one transaction per event, as the product does.
 */
async function emitAtRate(emitters: Emitter[], rate: number): Promise<number> {
  const began = performance.now();
  const total = rate * SECONDS;
  const emitted: Promise<void>[] = [];
  while (emitted.length < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) / 1000) * rate));
    while (emitted.length < due) for (const emit of emitters) emitted.push(emit());
    // biome-ignore lint/performance/noAwaitInLoops: a steady rate
    await pause(1);
  }
  await Promise.all(emitted);
  return emitted.length;
}

/** Commits one event. */
type Emitter = () => Promise<void>;

let emitted = 0;

function emitterOf(pool: pg.Pool, { workspaceId }: Subject, { projectId }: Project, sink: Sink): Emitter {
  return async () => {
    emitted += 1;
    const id = `evt_${String(emitted).padStart(26, '0')}`;
    await pool.query({
      name: 'emit',
      text: `insert into events (workspace_id, id, project_id, environment, type, occurred_at, actor, correlation_id, trace_id, data)
             values ($1, $2, $3, 'test', 'profile.updated', now(), '{"kind":"anonymous"}', 'bench', 'bench',
               '{"userId":"usr_bench","changed":["displayName"]}')`,
      values: [workspaceId, id, projectId],
    });
    sink.committed.set(id, performance.now());
    await pool.query('notify latchkey_events');
  };
}

async function addEndpoints({ admin }: Project, urls: string[]): Promise<string[]> {
  const made: string[] = [];
  for (const url of urls) {
    // biome-ignore lint/performance/noAwaitInLoops: additions to one scope are serialised anyway
    const { id } = await admin('/v1/admin/webhooks/endpoints', { url, events: ['profile.updated'] });
    if (id) made.push(id);
  }
  return made;
}

const removeEndpoints = ({ admin }: Project, ids: string[]) =>
  Promise.all(ids.map((id) => admin(`/v1/admin/webhooks/endpoints/${id}`, undefined, 'DELETE')));

/** Measures delay, rate, isolation, and the effect of a backlog on changes. */
export async function measureWebhooks(subject: Subject): Promise<Finding[]> {
  const sink = new Sink();
  const origin = await sink.open();
  const [first, second] = subject.projectIds;
  if (!first || !second) throw new Error('The benchmark needs two projects.');
  const projects = [await openProject(subject, first, 'hooks1'), await openProject(subject, second, 'hooks2')];
  const [one] = projects;
  if (!one) throw new Error('unreachable');
  const pool = new pg.Pool({ connectionString: subject.databaseUrl, max: 4 });
  const emitters = projects.map((project) => emitterOf(pool, subject, project, sink));
  try {
    return [
      ...(await measureDelay(one, { sink, origin, emitters: emitters.slice(0, 1) })),
      await measureDrain(one, { sink, origin, pool }),
      await measureIsolation(projects, { sink, origin, emitters }),
      await measureBacklog(subject, one, { origin, pool }),
    ];
  } finally {
    await pool.end();
    sink.close();
  }
}

type Tools = { sink: Sink; origin: string };

async function measureDelay(
  project: Project,
  { sink, origin, emitters }: Tools & { emitters: Emitter[] },
): Promise<Finding[]> {
  const ids = await addEndpoints(project, [`${origin}/delay`]);
  const findings: Finding[] = [];
  for (const rate of RATES) {
    sink.arrivals = [];
    // biome-ignore lint/performance/noAwaitInLoops: one rate after the other
    await sink.reach(await emitAtRate(emitters, rate), 60);
    const { p50, p99 } = sink.percentiles();
    findings.push({
      what: `webhooks: from commit to first attempt at ${rate} events/s`,
      measured: `p50 ${p50} ms, p99 ${p99} ms`,
      bar: rate <= 200 ? 'p99 1000 ms' : '',
      met: rate <= 200 ? p99 < 1_000 : null,
    });
  }
  await removeEndpoints(project, ids);
  return findings;
}

/** The rate at which a batch of events is numbered, fanned out, signed, sent and recorded. */
async function measureDrain(project: Project, { sink, origin, pool }: Tools & { pool: pg.Pool }): Promise<Finding> {
  const ids = await addEndpoints(project, [`${origin}/drain`]);
  sink.arrivals = [];
  const began = performance.now();
  await pool.query(
    `insert into events (workspace_id, id, project_id, environment, type, occurred_at, actor, correlation_id, trace_id, data)
     select workspace_id, 'evt_drain' || lpad(n::text, 21, '0'), id, 'test', 'profile.updated', now(), '{"kind":"anonymous"}', 'bench', 'bench',
       '{"userId":"usr_bench","changed":["displayName"]}'
     from projects, generate_series(1, $2) n where id = $1`,
    [project.projectId, DRAINED],
  );
  await sink.reach(DRAINED, 120);
  const rate = DRAINED / ((performance.now() - began) / 1000);
  await removeEndpoints(project, ids);
  return {
    what: 'webhooks: highest rate to one endpoint: numbered, fanned out, signed, sent, recorded',
    measured: `${rate.toFixed(0)} deliveries/s`,
    bar: '',
    met: null,
  };
}

async function measureIsolation(
  projects: Project[],
  { sink, origin, emitters }: Tools & { emitters: Emitter[] },
): Promise<Finding> {
  const p99Of = async (hole: boolean) => {
    const made = await Promise.all(
      projects.map((project, index) =>
        addEndpoints(
          project,
          Array.from({ length: ENDPOINTS_PER_PROJECT }, (_, nth) =>
            hole && index === 0 && nth === 0 ? `${origin}/hole` : `${origin}/well-${index}-${nth}`,
          ),
        ),
      ),
    );
    sink.arrivals = [];
    const changes = await emitAtRate(emitters, 2 * FAN_OUT_RATE);
    const healthy = changes * ENDPOINTS_PER_PROJECT - (hole ? changes / 2 : 0);
    await sink.reach(healthy, 60);
    await Promise.all(projects.map((project, index) => removeEndpoints(project, made[index] ?? [])));
    return sink.percentiles().p99;
  };
  // The runs alternate, so that a change in machine speed affects both equally; the median counts.
  const [without, within]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: in turns
    without.push(await p99Of(false));
    within.push(await p99Of(true));
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[1] ?? Number.NaN;
  const [alone, beside] = [middle(without), middle(within)];
  const change = beside / alone - 1;
  return {
    what: 'webhooks: p99 of 99 endpoints beside one that never answers',
    measured: `${beside} ms instead of ${alone} ms (${(change * 100).toFixed(0)} %)`,
    bar: '+10 %',
    met: change < 0.1,
  };
}

async function measureBacklog(
  subject: Subject,
  project: Project,
  { origin, pool }: { origin: string; pool: pg.Pool },
): Promise<Finding> {
  const [id] = await addEndpoints(project, [`${origin}/hole`]);
  await project.admin(`/v1/admin/webhooks/endpoints/${id}`, { events: ['role.deleted'] }, 'PATCH');
  const headers = { ...json, authorization: `Bearer ${project.customer}` };
  const rate = async () => {
    const body = JSON.stringify({ displayName: crypto.randomUUID() });
    const other = JSON.stringify({ displayName: crypto.randomUUID() });
    const path = '/v1/me/profile';
    return (
      await load({ url: subject.apiUrl, pid: subject.pid }, [
        { method: 'PATCH', path, headers, body },
        { method: 'PATCH', path, headers, body: other },
      ])
    ).rate;
  };
  const before = await rate();
  await pool.query(
    `insert into webhook_deliveries (workspace_id, id, project_id, environment, endpoint_id, event_id, event_type, body, status,
       trigger, next_attempt_at, created_at)
     select workspace_id, 'dlv_' || lpad(n::text, 26, '0'), project_id, environment, id, 'evt_bench', 'bench', '{}', 'pending', 'event', now(), now()
     from webhook_endpoints, generate_series(1, $2) n where id = $1`,
    [id, BACKLOG],
  );
  await pool.query('analyze webhook_deliveries');
  const after = await rate();
  return {
    what: `webhooks: changes while ${BACKLOG.toLocaleString('en')} deliveries wait for a receiver that never answers`,
    measured: `${after.toFixed(0)}/s instead of ${before.toFixed(0)}/s`,
    bar: '-20 %',
    met: after >= 0.8 * before,
  };
}

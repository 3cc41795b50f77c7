import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import pg from 'pg';
import { measureConsole, operatorOf } from './console.ts';
import { createInstallation, managementToken, readSubject } from './installation.ts';
import { percentile95 } from './load.ts';
import { importRows, person, seedPeople, seedProjects } from './people.ts';
import { processorSeconds, residentMegabytes, startLatchkey, stop } from './server.ts';

/**
 * Fills a project with members, the last ones by import, in a workspace of ten thousand projects. At each size it measures lists,
 * searches, reads and exports, first without planner statistics; at the end it measures the requests of the console. The server has
 * one core to itself; the database may use all cores.
 * `npm run bench:members -- SIZE…`; the default sizes are 1000, 100000 and 1000000.
 */
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 100_000, 1_000_000];
const PORT_BASE = 27_000;
const ROUNDS = 100;
const PROJECTS = 10_000;
/** The maximum number of people imported at each size. */
const IMPORTED = 100_000;

// docs/operations.md recommends at least this much for a million people.
const installation = await createInstallation('shared_buffers=1GB');
const { child: latchkey } = await startLatchkey({ ...installation.settings, LATCHKEY_PORT_BASE: String(PORT_BASE) });
process.once('exit', () => latchkey.kill());
const subject = await readSubject(installation);
const database = new pg.Client({ connectionString: installation.databaseUrl });
await database.connect();
// This benchmark decides when the planner's statistics are updated.
await database.query('alter system set autovacuum = off');
await database.query('select pg_reload_conf()');
const { workspaceId, projectId } = subject;
const api = `${subject.apiUrl}/v1/admin/members`;
const place = { workspaceId, projectId };
let token = await managementToken(subject);
await seedProjects(database, workspaceId, PROJECTS);

let size = 1;
const p95: Record<string, number[]> = {};
for (const target of sizes) {
  // biome-ignore lint/performance/noAwaitInLoops: one size after the other
  await fill(size, target);
  size = target;
  await measureAll(`${target} members, planner unaware`);
  await database.query('vacuum analyze');
  const measured = await measureAll(`${target} members`);
  for (const [name, milliseconds] of Object.entries(measured)) p95[name] = [...(p95[name] ?? []), milliseconds];
}
for (const [name, [first = Number.NaN, ...others]] of Object.entries(p95))
  console.log(
    `${name}: p95 ${others.map((value) => (value / first).toFixed(2)).join(', ')} times that of ${sizes[0]} (bar 1.5)`,
  );
const slowest = (await measureConsole(await operatorOf(database, subject))).slice(0, 10);
for (const [path, milliseconds] of slowest) console.log(`console ${path}: ${milliseconds.toFixed(1)} p95 ms (bar 300)`);
await measureExport();
await database.end();
await stop(latchkey);
await installation.end();
process.exit(0);

async function get(path: string): Promise<unknown> {
  const response = await fetch(path.startsWith('..') ? api.replace('/members', path.slice(2)) : api + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Adds people until there are `to` members: the first half or more of them by SQL, the last ones by import. */
async function fill(from: number, to: number): Promise<void> {
  const imported = Math.min(IMPORTED, Math.ceil((to - from) / 2));
  await seedPeople(database, place, { from, to: to - imported });
  token = await managementToken(subject);
  const response = await fetch(`${api}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(importRows(to - imported, to))),
    duplex: 'half',
  });
  const started = Object(await response.json());
  if (!response.ok) throw new Error(JSON.stringify(started));
  const began = performance.now();
  const before = await processorTime();
  let job = started;
  while (job.status !== 'completed') {
    // biome-ignore lint/performance/noAwaitInLoops: polls
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = Object(await get(`/import/${started.id}?limit=1`));
  }
  const seconds = (performance.now() - began) / 1000;
  const after = await processorTime();
  const thousands = imported / 1_000;
  console.log(
    `import to ${to}: ${(job.created / seconds).toFixed(0)} users/s (bar 5000), ${job.failed} failed; processor seconds per 1000 users: server ${((after.server - before.server) / thousands).toFixed(3)}, database ${((after.database - before.database) / thousands).toFixed(3)}`,
  );
}

async function processorTime(): Promise<{ server: number; database: number }> {
  const { rows } = await database.query<{ pid: number }>('select pid from pg_stat_activity where pid is not null');
  const used = await Promise.all(rows.map(({ pid }) => processorSeconds(pid)));
  return { server: await processorSeconds(latchkey.pid), database: used.reduce((sum, one) => sum + one, 0) };
}

async function measureAll(title: string): Promise<Record<string, number>> {
  token = await managementToken(subject);
  const { items, nextCursor } = Object(await get('?limit=20'));
  const some = () => person(randomInt(1, Math.max(2, size)));
  const last = (email: string) => email.split('.')[1] ?? '';
  const paths: Record<string, () => string> = {
    'list, first page': () => '?limit=20',
    'list, next page': () => `?limit=20&cursor=${nextCursor}`,
    'list, active': () => '?limit=20&status=active',
    'list, blocked': () => '?limit=20&status=blocked',
    'list, by a rare role': () => '?limit=20&role=owner',
    'list, by a common role': () => '?limit=20&role=viewer',
    'audit log': () => '../audit-events?limit=20',
    'audit log, by action': () => '../audit-events?limit=20&action=membership.created',
    get: () => `/${items[randomInt(items.length)].id}`,
    'search, whole email': () => `?q=${encodeURIComponent(some().email)}`,
    'search, beginning of email': () => `?q=${encodeURIComponent(some().email.slice(0, -12))}`,
    'search, first and last name': () => `?q=${encodeURIComponent(some().displayName)}`,
    'search, first name': () => `?q=${encodeURIComponent(some().displayName.split(' ')[0] ?? '')}`,
    'search, part of last name': () => `?q=${last(some().email).slice(2, 7)}`,
    'search, end of phone': () => `?q=${some().phone.slice(-6)}`,
    'search, username': () => `?q=${some().username}`,
    'search, domain': () => `?q=${encodeURIComponent(some().email.split('@')[1] ?? '')}`,
    'search, two characters': () => `?q=${some().email.slice(0, 2)}`,
    'search, nobody': () => '?q=nobody-at-all',
  };
  const result: Record<string, number> = {};
  for (const [name, path] of Object.entries(paths)) {
    // biome-ignore lint/performance/noAwaitInLoops: one path at a time
    result[name] = await percentile95(ROUNDS, () => get(path()));
  }
  console.log(
    `${title}: ${Object.entries(result)
      .map(([name, value]) => `${name} ${value.toFixed(1)}`)
      .join('; ')} (p95 ms)`,
  );
  return result;
}

/** Exports all members, discards the result, and records the memory of the server process. */
async function measureExport(): Promise<void> {
  token = await managementToken(subject);
  const before = await residentMegabytes(latchkey.pid);
  const began = performance.now();
  const response = await fetch(`${api}/export`, { headers: { authorization: `Bearer ${token}` } });
  const seen: number[] = [];
  let bytes = 0;
  let next = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes < next) continue;
    next = bytes + 20_000_000;
    seen.push(await residentMegabytes(latchkey.pid));
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `export of ${size}: ${(size / seconds).toFixed(0)} members/s, ${(bytes / 1e6).toFixed(0)} MB; resident memory ${before.toFixed(0)} MB before, at most ${Math.max(...seen).toFixed(0)} MB meanwhile`,
  );
}

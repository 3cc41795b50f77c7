import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { startEmbeddedPostgres } from '../server/platform/embedded-postgres.ts';
import { pinToLoadCore, residentMegabytes, startLatchkey, stop } from './server.ts';

/**
 * Fills a project with members through the product's own import, and measures listing, searching, reading and exporting at each
 * size, the first time before the planner has seen the data. `npm run bench:members -- SIZE…`; 1000, 100000 and 1000000 unless said.
 */
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 100_000, 1_000_000];
const PORT_BASE = 27_000;
const ROUNDS = 100;

const FIRST =
  'Ada Ben Chiara David Emma Felix Grace Hugo Ines Jonas Katrin Leon Maria Noah Olivia Paul Quentin Rosa Samuel Tina Ulrich Vera Walter Xenia Yusuf Zoë'.split(
    ' ',
  );
const SYLLABLES =
  'an bel cor dam ett fin gar hol ing jas kel lund mar nov ost per quin ros sten tor ulm vik wal xan yor zim'.split(
    ' ',
  );
const DOMAINS = Array.from({ length: 40 }, (_, n) => `${SYLLABLES[n % 26]}${SYLLABLES[(n * 7) % 26]}.example`);
/** Of no password: nobody signs in here. */
const HASH = '$2b$10$abcdefghijklmnopqrstuuJ0kQh1Yw0aP8mD7X5eRj3sQ2kL9vN6i';

type Person = { email: string; username: string; displayName: string; phone: string };

/** The same person for the same number; names repeat as names do. */
function person(n: number): Person {
  const first = FIRST[(Math.imul(n, 2_654_435_761) >>> 8) % FIRST.length] ?? '';
  const last = [3, 5, 7]
    .map((salt) => SYLLABLES[(Math.imul(n + salt, 0x9e37_79b1 + salt) >>> 12) % SYLLABLES.length])
    .join('');
  const name = `${first.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()}.${last}`;
  return {
    email: `${name}.${n}@${DOMAINS[(n * 13) % DOMAINS.length]}`,
    username: `${last}${n}`,
    displayName: `${first} ${last.charAt(0).toUpperCase()}${last.slice(1)}`,
    phone: `+49301${String(n).padStart(7, '0')}`,
  };
}

function* rows(from: number, to: number): Generator<string> {
  for (let begin = from; begin < to; begin += 1_000)
    yield Array.from({ length: Math.min(1_000, to - begin) }, (_, index) => {
      const row = { ...person(begin + index), emailVerified: true, passwordHash: HASH, metadata: { n: begin + index } };
      return `${JSON.stringify(row)}\n`;
    }).join('');
}

pinToLoadCore();
const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, 'database'),
  port: 0,
  database: 'latchkey',
  progress: () => undefined,
});
const database = new pg.Client({ connectionString: postgres.url });
await database.connect();
// The planner gets to know the data when this benchmark says so.
await database.query('alter system set autovacuum = off');
await database.query('select pg_reload_conf()');
const latchkey = await startLatchkey({
  DATABASE_URL: postgres.url,
  LATCHKEY_SECRET: 'a secret of the benchmark that is long enough',
  LATCHKEY_LOG_LEVEL: 'error',
  LATCHKEY_DATA_DIR: folder,
  LATCHKEY_PORT_BASE: String(PORT_BASE),
});
process.once('exit', () => latchkey.child.kill());
const { workspaceId, projects, environments } = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));
const { authUrl, apiUrl, managementClientId, managementClientSecret } = environments.test;
const api = `${apiUrl.replace('localhost', '127.0.0.1')}/v1/admin/members`;
let token = await managementToken();

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
await measureExport();
await database.end();
await stop(latchkey.child);
await postgres.stop();
await rm(folder, { recursive: true, force: true });
process.exit(0);

async function managementToken(): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    workspaceId,
    projectId: projects[0].id,
    environment: 'test',
    client_id: managementClientId,
    client_secret: managementClientSecret,
  });
  const answer = await fetch(`${authUrl.replace('localhost', '127.0.0.1')}/connect/token`, { method: 'POST', body });
  const { access_token } = Object(await answer.json());
  return access_token;
}

async function get(path: string): Promise<unknown> {
  const answer = await fetch(api + path, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Imports people until there are `to` members. */
async function fill(from: number, to: number): Promise<void> {
  token = await managementToken();
  const began = performance.now();
  const answer = await fetch(`${api}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(rows(from, to))),
    duplex: 'half',
  });
  const started = Object(await answer.json());
  if (!answer.ok) throw new Error(JSON.stringify(started));
  const uploaded = performance.now();
  let job = started;
  while (job.status !== 'completed') {
    // biome-ignore lint/performance/noAwaitInLoops: polls
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = Object(await get(`/import/${started.id}?limit=1`));
  }
  const seconds = (performance.now() - uploaded) / 1000;
  console.log(
    `import to ${to}: ${(job.created / seconds).toFixed(0)} users/s (bar 5000), ${job.failed} failed, upload ${((uploaded - began) / 1000).toFixed(1)} s`,
  );
}

async function measureAll(title: string): Promise<Record<string, number>> {
  token = await managementToken();
  const { items, nextCursor } = Object(await get('?limit=20'));
  const some = () => person(randomInt(1, Math.max(2, size)));
  const last = (email: string) => email.split('.')[1] ?? '';
  const paths: Record<string, () => string> = {
    'list, first page': () => '?limit=20',
    'list, next page': () => `?limit=20&cursor=${nextCursor}`,
    'list, active': () => '?limit=20&status=active',
    'list, blocked': () => '?limit=20&status=blocked',
    'list, by role': () => '?limit=20&role=owner',
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
    result[name] = await measure(path);
  }
  console.log(
    `${title}: ${Object.entries(result)
      .map(([name, value]) => `${name} ${value.toFixed(1)}`)
      .join('; ')} (p95 ms)`,
  );
  return result;
}

/** @returns the 95th percentile in milliseconds, one request at a time */
async function measure(path: () => string): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS + 20; round += 1) {
    const wanted = path();
    const began = performance.now();
    // biome-ignore lint/performance/noAwaitInLoops: one request after the other
    await get(wanted);
    if (round >= 20) durations.push(performance.now() - began);
  }
  durations.sort((a, b) => a - b);
  return durations[Math.floor(ROUNDS * 0.95)] ?? Number.NaN;
}

/** Exports everybody to nowhere, and watches the memory of the process that does it. */
async function measureExport(): Promise<void> {
  token = await managementToken();
  const before = await residentMegabytes(latchkey.child.pid);
  const began = performance.now();
  const answer = await fetch(`${api}/export`, { headers: { authorization: `Bearer ${token}` } });
  const seen: number[] = [];
  let bytes = 0;
  let next = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes < next) continue;
    next = bytes + 20_000_000;
    seen.push(await residentMegabytes(latchkey.child.pid));
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `export of ${size}: ${(size / seconds).toFixed(0)} members/s, ${(bytes / 1e6).toFixed(0)} MB; resident memory ${before.toFixed(0)} MB before, at most ${Math.max(...seen).toFixed(0)} MB meanwhile`,
  );
}

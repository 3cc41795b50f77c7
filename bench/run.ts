import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createInstallation, readSubject } from './installation.ts';
import { type Mixed, memoryAfterUse, mixedLoad, soak } from './mixed.ts';
import { measurePaint } from './paint.ts';
import { flood, loadCodeFlows, loadContext, loadRefreshes, paths } from './paths.ts';
import { readReport, replaceReport } from './performance.ts';
import { revocationDelay } from './revocation.ts';
import { pinned, pinToLoadCore, releaseOfClone, residentMegabytes, startLatchkey, stop } from './server.ts';
import { inTurns, type Measurement, median } from './turns.ts';
import { measureWebhooks } from './webhooks.ts';

/**
 * Measures every path with a target against its baseline in the same run, and writes docs/performance.md.
 *
 * `npm run bench -- NAME…` measures only the named ones and writes nothing. `--quick` leaves out webhooks and the console
 * and measures for a shorter time; what it leaves out keeps its place in the page. `--soak MINUTES` runs the mixed load and
 * prints the memory each minute. `--profile FOLDER` writes a profile of the server's processor time (`.cpuprofile`), with
 * NAME… for one path.
 */
const { values: options, positionals: only } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, soak: { type: 'string' }, profile: { type: 'string' } },
});
const PORT_BASE = Number(process.env['BENCH_PORT_BASE'] ?? 26_000);
const whole = only.length === 0 && options.soak === undefined;
const wants = (name: string) => whole || only.includes(name);

const MONTH_SECONDS = 30 * 86_400;
/** What an active person does in a month, and how much of it falls into the busiest hour. */
const HABITS = { signIns: 4, refreshes: 120, checks: 400, peak: 5 };

type Line = { what: string; measured: string; bar: string };

pinToLoadCore();
const installation = await createInstallation();
const { folder, settings } = installation;
const lines: Line[] = [];
const rows: Measurement[] = [];
const note = (what: string, measured: string, bar = '') => {
  lines.push({ what, measured, bar });
  console.log(`${what}: ${measured}${bar && ` (bar ${bar})`}`);
};

await releaseOfClone();
if (whole) await measureStarts();
const latchkey = await startLatchkey({ ...settings, LATCHKEY_PORT_BASE: String(PORT_BASE) }, options.profile);
if (whole)
  note(
    'resident memory of the Node.js process after the start',
    `${(await residentMegabytes(latchkey.child.pid)).toFixed(0)} MB`,
    '200 MB',
  );
const subject = await readSubject(installation, latchkey.child.pid);
// Before anything else has used memory.
if (wants('memory')) await measureMemory();
for (const [name, measure] of Object.entries(paths)) {
  if (!wants(name)) continue;
  process.stdout.write(`${name}… `);
  // biome-ignore lint/performance/noAwaitInLoops: one path at a time
  const row = await inTurns(() => measure(subject));
  rows.push(row);
  console.log(line(row));
}
if (wants('code'))
  note('statements of an OIDC code flow (authorize and token)', (await statementsOfFlow()).toFixed(1), '6');
if (wants('connections')) await measureConnections();
const mixed = wants('mixed') ? await measureMixed() : null;
if (wants('flood')) await measureFlood();
if (wants('revocation')) await measureRevocation();
if (options.soak !== undefined) await measureSoak(Number(options.soak));
if (!options.quick && wants('webhooks'))
  for (const { what, measured, bar } of await measureWebhooks(subject)) note(what, measured, bar);
if (!options.quick && wants('paint')) await measureConsolePaint();
await stop(latchkey.child);
await installation.end();
if (whole) await replaceReport(await report(mixed));
process.exit(0);

async function measureConsolePaint(): Promise<void> {
  const { first, whole: screen } = await measurePaint(subject);
  note("the console's first paint, nothing of it cached, p50", `${first.toFixed(0)} ms`, '1000 ms');
  note("the console's first screen with its figures, nothing of it cached, p50", `${screen.toFixed(0)} ms`);
}

async function measureFlood(): Promise<void> {
  const { p99 } = await flood(subject);
  note('GET /v1/me/context while others sign in as fast as they can, p99', `${p99.toFixed(1)} ms`, '100 ms');
}

/** From start to ready with the embedded database: first with an empty data folder, then with an existing one. */
async function measureStarts(): Promise<void> {
  const own = { LATCHKEY_PORT_BASE: String(PORT_BASE), LATCHKEY_DATA_DIR: join(folder, 'start') };
  const once = async () => {
    const began = performance.now();
    const { child } = await startLatchkey(own);
    const seconds = (performance.now() - began) / 1000;
    await stop(child);
    return seconds;
  };
  note('start to ready, empty data folder (embedded database)', `${(await once()).toFixed(2)} s`, '20 s');
  const again = [await once(), await once(), await once()];
  note('start to ready, existing database, median of three', `${median(again).toFixed(2)} s`, '1 s');
}

async function measureRevocation(): Promise<void> {
  const addresses = {
    LATCHKEY_TEST_AUTH_URL: `http://localhost:${PORT_BASE + 1}`,
    LATCHKEY_TEST_API_URL: `http://localhost:${PORT_BASE + 2}`,
  };
  const other = await startLatchkey({ ...settings, ...addresses, LATCHKEY_PORT_BASE: String(PORT_BASE + 100) });
  const { p50, p99 } = await revocationDelay(subject, PORT_BASE + 102);
  await stop(other.child);
  note('an ended session is refused by another process, p50', `${p50.toFixed(1)} ms`);
  note('an ended session is refused by another process, p99', `${p99.toFixed(1)} ms`, '1000 ms');
}

/** The statements for each code flow, as the server counts them; those of its worker are among them. */
async function statementsOfFlow(): Promise<number> {
  const counted = async (metric: string) => {
    const text = await fetch(`http://127.0.0.1:${PORT_BASE + 90}/metrics`).then((response) => response.text());
    const found = text.matchAll(new RegExp(`^${metric}\\{.*\\} (\\d+)$`, 'gm'));
    return found.reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const flows = 'latchkey_http_request_duration_seconds_count';
  const read = async () => [await counted('latchkey_database_statement_duration_seconds_count'), await counted(flows)];
  let [statements = 0, requests = 0]: number[] = [];
  await loadCodeFlows(subject, async () => {
    [statements = 0, requests = 0] = await read();
  });
  const [after = 0, handled = 0] = await read();
  // A flow is two requests.
  return (after - statements) / ((handled - requests) / 2);
}

async function measureConnections(): Promise<void> {
  for (const connections of [10, 100]) {
    // biome-ignore lint/performance/noAwaitInLoops: one load at a time
    const [context, refresh] = [await loadContext(subject, connections), await loadRefreshes(subject, connections)];
    for (const [what, { rate, p50, p99 }] of [
      ['GET /v1/me/context', context],
      ['refresh rotation', refresh],
    ] as const)
      note(
        `${what}, ${connections} connections`,
        `${rate.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      );
  }
}

async function measureMixed(): Promise<Mixed> {
  const found = await mixedLoad(subject, options.quick ? 8 : 20);
  note('mixed load', `${found.rate.toFixed(0)} requests/s, ${found.cpu.toFixed(3)} ms of processor time for each`);
  for (const { kind, share, p50, p99 } of found.kinds)
    note(`mixed load: ${kind} (${share} %)`, `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  return found;
}

async function measureMemory(): Promise<void> {
  const [tokens, signIns] = [30_000, options.quick ? 2_000 : 10_000];
  const megabytes = await memoryAfterUse(subject, { tokens, signIns });
  note(`resident memory after ${tokens} tokens and ${signIns} sign-ins`, `${megabytes.toFixed(0)} MB`, '300 MB');
}

async function measureSoak(minutes: number): Promise<void> {
  const memory = await soak(subject, minutes);
  const half = memory[Math.floor(memory.length / 2)] ?? Number.NaN;
  note(
    `soak of ${minutes} minutes, growth in the second half`,
    `${((memory.at(-1) ?? Number.NaN) - half).toFixed(0)} MB`,
  );
}

function line({ path, measured, bare, bar, ratio, ratioByProcessor, spread }: Measurement): string {
  const { rate, p50, p99, cpu } = measured;
  return `${path}: ${rate.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cpu.toFixed(3)} ms of processor time; ratio ${ratio.toFixed(2)} (${shown(spread)}) of ${bare.rate.toFixed(0)}/s, by processor time ${ratioByProcessor.toFixed(2)} of ${bare.cpu.toFixed(3)} ms${bar === 0 ? '' : ` (bar ${bar})`}`;
}

function shown([lowest, highest]: Measurement['spread']): string {
  return `${lowest.toFixed(2)}–${highest.toFixed(2)}`;
}

/** @param load the mixed load, from which the sizes follow */
async function report(load: Mixed | null): Promise<string> {
  const table = rows.map(({ path, measured, baseline, bare, bar, ratio, ratioByProcessor, spread }) => {
    const judged = bar === 0 ? '| |' : `${bar.toFixed(2)} | ${ratio >= bar ? 'yes' : 'no'} |`;
    return `| ${path} | ${measured.rate.toFixed(0)} | ${measured.p50.toFixed(1)} | ${measured.p99.toFixed(1)} | ${measured.cpu.toFixed(3)} | ${baseline} | ${bare.rate.toFixed(0)} | ${bare.cpu.toFixed(3)} | ${ratio.toFixed(2)} | ${shown(spread)} | ${ratioByProcessor.toFixed(2)} | ${judged}`;
  });
  // What this run left out keeps its line.
  const known = new Set(lines.map(({ what }) => what));
  const kept = (await readReport()).filter(
    (earlier) => !known.has(earlier.what) && !/^resident memory/.test(earlier.what),
  );
  const measured = [...lines, ...kept].map(({ what, measured: found, bar }) => `| ${what} | ${found} | ${bar} |`);
  return `# Performance

Written by \`npm run bench\`, which runs a release of the clone. Rates are of one core${pinned ? ': the server is pinned to one, the load generator and PostgreSQL share another' : ' (not pinned on this system)'}. Compare the ratios: each path and its baseline are measured in turns, three times each, and a figure is the median of its turns, while rates differ between machines. Processor time is that of the server alone and differs least on a machine that does other work.

Machine: ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.versions.node}; load over the last minute ${(loadavg()[0] ?? 0).toFixed(1)}.

| path | per second | p50 ms | p99 ms | processor ms | baseline | per second | processor ms | ratio | lowest–highest | ratio by processor time | bar | met |
| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
${table.join('\n')}

| what | measured | bar |
| --- | ---: | ---: |
${measured.join('\n')}
${load ? sizing(load) : ''}`;
}

/** What the figures mean for people. */
function sizing(load: Mixed): string {
  const cost = (name: string) => rows.find(({ path }) => path.includes(name))?.measured.cpu ?? 0;
  const [signIn, refresh, check] = [cost('password login'), cost('refresh'), cost('/v1/me/context')];
  const perPerson = HABITS.signIns * signIn + HABITS.refreshes * refresh + HABITS.checks * check;
  // Half of a core stays free, so that requests do not queue.
  const people = (0.5 * MONTH_SECONDS * 1000) / (perPerson * HABITS.peak);
  const capacity = (ms: number) => (ms > 0 ? (500 / ms).toFixed(0) : '–');
  return `
## What it means for people

One core for Latchkey, half of it in use, with PostgreSQL on another, carries each of these alone, by the processor time above: ${capacity(signIn)} sign-ins with a password a second, ${capacity(refresh)} refreshes, or ${capacity(check)} checks of a session. The mixed load (70 % context, 15 % refresh, 10 % sign-in, 5 % admin) reached ${load.rate.toFixed(0)} requests a second on the whole core.

Behind that are about ${(Math.floor(people / 10_000) * 10_000).toLocaleString('en')} people who are active in a month, if each signs in ${HABITS.signIns} times, refreshes ${HABITS.refreshes} times and is checked ${HABITS.checks} times in the month, and the busiest hour has ${HABITS.peak} times the average: ${HABITS.signIns} × ${signIn.toFixed(2)} ms + ${HABITS.refreshes} × ${refresh.toFixed(2)} ms + ${HABITS.checks} × ${check.toFixed(3)} ms = ${perPerson.toFixed(0)} ms of processor time a person and month; half a core has ${(0.5 * MONTH_SECONDS).toLocaleString('en')} s in a month, a fifth of it at that peak. Put your own habits in: they differ by more than machines do.

To size an installation:

- **Two processes on two machines** are the least for people who may not wait for a restart. Each needs one core and 512 MB. Add processes when the busiest hour uses more than half of their cores; they share nothing but PostgreSQL and, if configured, Valkey.
- **Sign-ins with a password** need the core for Argon2id, on purpose. Count the busiest minute, such as the start of a sale, not the average.
- **PostgreSQL** needs about as much processor time as Latchkey for refreshes, and half as much for sign-ins. Give it memory for its indexes, a disk that flushes fast (a sign-in waits for one flush), and the connections of all processes (\`LATCHKEY_DATABASE_POOL\` each).

What to watch (see [Monitoring](monitoring.md)): the p99 of \`latchkey_http_request_duration_seconds\` for sign-ins and refreshes, \`latchkey_database_statement_duration_seconds\`, the processor time of the process (\`process_cpu_seconds_total\`) above half a core, its resident memory, and the wait of the oldest job.
`;
}

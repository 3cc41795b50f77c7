import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { countWaiting, findLosses } from './checks.ts';
import type { Fault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { type Installation, openSite, type Site } from './site.ts';
import { waitUntil } from './wait.ts';

/**
 * `npm run test:faults [-- --long] [--only PATTERN]`: starts several Latchkey processes by role behind a balancer, lets clients
 * write, and produces one fault after the other. After each fault, every acknowledged change must be stored, events must be numbered
 * without a gap or duplicate, every session must be alive, and no process may have ended by itself. At the end, the receiver of
 * webhooks must have every change. `--long` has more load, and more and longer faults. The last line is "N passed, N failed".
 */
const { values } = parseArgs({ options: { long: { type: 'boolean' }, only: { type: 'string' } } });

const BEFORE_MS = 1_000;
const PACE = values.long ? { pauseMs: 25, chains: 4 } : { pauseMs: 100, chains: 2 };

type Result = {
  name: string;
  installation: Installation;
  requests: number;
  acknowledged: number;
  failed: number;
  /** How long it took until requests of every kind succeeded again; null if they did not. */
  healedMs: number | null;
  note: string;
  faults: string[];
  /** The correlation ids of the acknowledged changes. */
  changes: readonly string[];
};

async function tryFault(site: Site, fault: Fault): Promise<Result> {
  const installation = (await fault.open?.(site)) ?? site;
  const { load } = installation;
  const before = { ...load.counts, changes: load.acknowledged.changes.length, wrong: load.wrong.length };
  const endedBefore = installation.countEnded();
  const began = performance.now();
  await load.start();
  await waitUntil(() => load.succeededSince(began));
  await pause(BEFORE_MS);
  const broken: string[] = [];
  const note = await fault.run(site).catch((error: unknown) => {
    broken.push(String(error));
  });
  const over = performance.now();
  const healed = await waitUntil(async () => load.succeededSince(over) && (await installation.isReady()));
  const healedMs = healed ? performance.now() - over : null;
  await load.stop();
  const numbered = await waitUntil(async () => (await countWaiting(installation)) === 0);
  const failed = load.counts.failed - before.failed;
  const dropped = load.counts.dropped - before.dropped;
  const ended = installation.countEnded() - endedBefore;
  return {
    name: fault.name,
    installation,
    requests: load.counts.requests - before.requests,
    acknowledged: load.counts.acknowledged - before.acknowledged,
    failed,
    healedMs,
    note: note ?? '',
    faults: [
      ...broken,
      ...(await findLosses(installation).catch((error: unknown) => [String(error)])),
      ...new Set(load.wrong.slice(before.wrong)),
      ...(healed ? [] : ['not everything works again']),
      ...(numbered ? [] : ['events are not numbered']),
      ...(ended > 0 ? [`${ended} processes ended by themselves`] : []),
      ...(fault.seamless && dropped > 0 ? [`${dropped} requests were dropped`] : []),
    ],
    changes: load.acknowledged.changes.slice(before.changes),
  };
}

/** Waits for the webhooks of all changes. @returns the changes that did not arrive */
async function waitForWebhooks({ load, arrived }: Installation): Promise<Set<string>> {
  const undelivered = () => load.acknowledged.changes.filter((change) => !arrived.has(change));
  await waitUntil(() => undelivered().length === 0);
  return new Set(undelivered());
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a failure, and adds it to those that CI repeats at its end. */
function sayFailure(name: string, lines: readonly string[]): void {
  const text = [`✖ ${name}`, ...lines.slice(0, 10)].join('\n    ');
  say(text);
  const log = process.env['CI_FAILURES'];
  if (log !== undefined) appendFileSync(log, `${text}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const began = performance.now();
const seconds = () => ((performance.now() - began) / 1_000).toFixed(0);
const pattern = new RegExp(values.only ?? '');
const site = await openSite(PACE);
say(`${site.fleet.members.length} processes are ready after ${seconds()} s`);
const results: Result[] = [];
let skipped = 0;
/** Faults that could not be tried. */
let broken = 0;
for (const fault of FAULTS.filter(({ name, long }) => pattern.test(name) && (values.long === true || !long))) {
  const obstacle = fault.obstacle?.(site) ?? null;
  if (obstacle !== null) {
    skipped += 1;
    say(`⏭ ${fault.name}: ${obstacle}`);
    continue;
  }
  // biome-ignore lint/performance/noAwaitInLoops: one fault after the other
  const result = await tryFault(site, fault).catch((error: unknown) => String(error));
  if (typeof result === 'string') {
    broken += 1;
    sayFailure(fault.name, [result]);
    continue;
  }
  results.push(result);
  const healed = result.healedMs === null ? 'not healed' : `healed after ${(result.healedMs / 1_000).toFixed(1)} s`;
  const counts = `${result.requests} requests, ${result.acknowledged} acknowledged, ${result.failed} failed, ${healed}`;
  const line = `${fault.name}: ${counts}${result.note && `, ${result.note}`}`;
  if (result.faults.length === 0) say(`✔ ${line}`);
  else sayFailure(line, result.faults);
}
for (const installation of new Set(results.map((result) => result.installation))) {
  // biome-ignore lint/performance/noAwaitInLoops: there are two
  const undelivered = await waitForWebhooks(installation);
  for (const { name, changes, faults } of results.filter((result) => result.installation === installation)) {
    const lost = changes.filter((change) => undelivered.has(change)).length;
    if (lost === 0) continue;
    faults.push('webhooks');
    sayFailure(name, [`${lost} of ${changes.length} changes did not reach the receiver`]);
  }
}
const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
const found = sum(({ faults }) => faults.length);
say(
  `${results.length} faults in ${seconds()} s, ${skipped} skipped: ${sum(({ requests }) => requests)} requests, ` +
    `${sum(({ acknowledged }) => acknowledged)} acknowledged, ${sum(({ failed }) => failed)} failed; ` +
    `${sum(({ changes }) => changes.length)} changes with a webhook; ${found === 0 ? 'nothing lost' : `${found} faults found`}`,
);
const passed = results.filter(({ faults }) => faults.length === 0).length;
const failures = results.length - passed + broken;
if (failures > 0) say(`Logs are in ${site.folder}`);
say(`${passed} passed, ${failures} failed`);
process.exit(failures > 0 || passed === 0 ? 1 : 0);

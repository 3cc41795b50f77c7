import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { arrivals, countWaiting, findLosses } from './checks.ts';
import type { Fault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { openSite, type Site } from './site.ts';
import { waitUntil } from './wait.ts';

/**
 * `npm run test:faults [-- --long] [--only PATTERN]`: starts several Latchkey processes by role behind a balancer, lets clients
 * write, and produces one fault after the other. After each fault, every acknowledged change must be stored, events must be numbered
 * without a gap or duplicate, and every session must be alive. At the end, the receiver of webhooks must have every change.
 */
const { values } = parseArgs({ options: { long: { type: 'boolean' }, only: { type: 'string' } } });

const BEFORE_MS = 1_000;

type Result = {
  name: string;
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
  const { load } = site;
  const before = {
    ...load.counts,
    restarts: site.fleet.restarts,
    changes: load.acknowledged.changes.length,
    wrong: load.wrong.length,
  };
  const began = performance.now();
  await load.start();
  await waitUntil(async () => load.succeededSince(began));
  await pause(BEFORE_MS);
  const broken: string[] = [];
  const note = await fault.run(site).catch((error: unknown) => {
    broken.push(String(error));
  });
  const over = performance.now();
  const healed = await waitUntil(async () => load.succeededSince(over) && (await site.fleet.isReady()));
  const healedMs = healed ? performance.now() - over : null;
  await load.stop();
  const numbered = await waitUntil(async () => (await countWaiting(site.primary)) === 0);
  const failed = load.counts.failed - before.failed;
  return {
    name: fault.name,
    requests: load.counts.requests - before.requests,
    acknowledged: load.counts.acknowledged - before.acknowledged,
    failed,
    healedMs,
    note: [
      note,
      site.fleet.restarts > before.restarts && `${site.fleet.restarts - before.restarts} processes ended by themselves`,
    ]
      .filter(Boolean)
      .join(', '),
    faults: [
      ...broken,
      ...(await findLosses(site.primary, load.acknowledged)),
      ...new Set(load.wrong.slice(before.wrong)),
      ...(healed ? [] : ['not everything works again']),
      ...(numbered ? [] : ['events are not numbered']),
      ...(fault.seamless && failed > 0 ? [`${failed} requests failed`] : []),
    ],
    changes: load.acknowledged.changes.slice(before.changes),
  };
}

/** Waits for the webhooks of all changes. @returns the changes that did not arrive */
async function waitForWebhooks(site: Site): Promise<Set<string>> {
  const { changes } = site.load.acknowledged;
  const undelivered = () => {
    const arrived = arrivals(site.receiver, site.webhookSecret);
    return changes.filter((change) => !arrived.has(change));
  };
  await waitUntil(async () => undelivered().length === 0);
  return new Set(undelivered());
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const began = performance.now();
const pattern = new RegExp(values.only ?? '');
const site = await openSite();
say(`${site.fleet.members.length} processes are ready after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
const results: Result[] = [];
let skipped = 0;
for (const fault of FAULTS.filter(({ name, long }) => pattern.test(name) && (values.long === true || !long))) {
  const obstacle = fault.obstacle?.(site) ?? null;
  if (obstacle !== null) {
    skipped += 1;
    say(`⏭ ${fault.name}: ${obstacle}`);
    continue;
  }
  // biome-ignore lint/performance/noAwaitInLoops: one fault after the other
  const result = await tryFault(site, fault);
  results.push(result);
  const healed = result.healedMs === null ? 'not healed' : `healed after ${(result.healedMs / 1_000).toFixed(1)} s`;
  const counts = `${result.requests} requests, ${result.acknowledged} acknowledged, ${result.failed} failed, ${healed}`;
  say(`${result.faults.length === 0 ? '✔' : '✖'} ${fault.name}: ${counts}${result.note && `, ${result.note}`}`);
  for (const line of result.faults.slice(0, 10)) say(`    ${line}`);
}
const undelivered = await waitForWebhooks(site);
for (const { name, changes, faults } of results) {
  const lost = changes.filter((change) => undelivered.has(change)).length;
  if (lost === 0) continue;
  faults.push('webhooks');
  say(`✖ ${name}: ${lost} of ${changes.length} changes did not reach the receiver`);
}
const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
const lost = sum(({ faults }) => faults.length);
say(
  `${results.length} faults in ${((performance.now() - began) / 1_000).toFixed(0)} s, ${skipped} skipped: ${sum(({ requests }) => requests)} requests, ` +
    `${sum(({ acknowledged }) => acknowledged)} acknowledged, ${sum(({ failed }) => failed)} failed; ` +
    `${sum(({ changes }) => changes.length)} changes with a webhook; ${lost === 0 ? 'nothing lost' : `${lost} faults found`}`,
);
const failures = results.filter(({ faults }) => faults.length > 0).length;
if (failures > 0) say(`Logs are in ${site.folder}`);
say(`${results.length - failures} passed, ${failures} failed`);
process.exit(failures > 0 || results.length === 0 ? 1 : 0);

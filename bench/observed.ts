import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { createInstallation, readSubject } from './installation.ts';
import { loadContext, loadRefreshes } from './paths.ts';
import { pinToLoadCore, processorSeconds, startLatchkey, stop } from './server.ts';

/**
 * Measures what being seen from outside costs: the processor time of a request with metrics that are scraped each second, and with
 * traces of every request, beside that of one without. Other programs disturb it less than a rate. `npm run bench:observed`
 */
const PORT_BASE = Number(process.env['BENCH_PORT_BASE'] ?? 29_000);
const SCRAPE_MS = 1_000;
const MEASURED = { context: loadContext, refresh: loadRefreshes };
/** Odd, for the median. The first installation of all is not counted: it warms the machine. */
const ROUNDS = 3;

pinToLoadCore();
/** Accepts all traces. */
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.end());
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${Object(collector.address()).port}`;

const MODES: readonly { name: string; env?: Record<string, string>; scraped?: boolean }[] = [
  { name: 'plain' },
  { name: 'metrics scraped each second', scraped: true },
  { name: 'traces of every request', env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } },
];

await measure({});
const rounds: Record<string, Costs>[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const costs: Record<string, Costs> = {};
  for (const { name, env = {}, scraped = false } of MODES) {
    // biome-ignore lint/performance/noAwaitInLoops: one installation at a time
    costs[name] = await measure(env, scraped);
  }
  rounds.push(costs);
}
for (const path of Object.keys(MEASURED))
  for (const { name } of MODES) {
    const [lowest = 0, median = 0, highest = 0] = rounds.map((costs) => costs[name]?.[path] ?? 0).sort((a, b) => a - b);
    console.log(`${path}, ${name}: ${median.toFixed(3)} (${lowest.toFixed(3)}-${highest.toFixed(3)}) ms a request`);
  }
console.log(`load of this machine over the last minute: ${(loadavg()[0] ?? 0).toFixed(1)}`);
process.exit(0);

/** The milliseconds of processor time that a request takes, by path. */
type Costs = Record<string, number>;

async function measure(env: Record<string, string>, scraped = false): Promise<Costs> {
  const installation = await createInstallation();
  const { child: latchkey } = await startLatchkey({
    ...installation.settings,
    LATCHKEY_PORT_BASE: String(PORT_BASE),
    ...env,
  });
  process.once('exit', () => latchkey.kill());
  const scraping = scraped ? setInterval(scrape, SCRAPE_MS) : undefined;
  const subject = await readSubject(installation);
  const costs: Costs = {};
  // biome-ignore lint/performance/noAwaitInLoops: one path at a time
  for (const [name, run] of Object.entries(MEASURED)) costs[name] = await costOf(latchkey.pid, () => run(subject));
  clearInterval(scraping);
  await stop(latchkey);
  await installation.end();
  return costs;
}

async function costOf(pid: number | undefined, run: () => Promise<unknown>): Promise<number> {
  const before = { requests: await handledRequests(), seconds: await processorSeconds(pid) };
  await run();
  const seconds = (await processorSeconds(pid)) - before.seconds;
  return (seconds * 1_000) / ((await handledRequests()) - before.requests);
}

/** How many requests the server has handled, as it counts them itself. */
async function handledRequests(): Promise<number> {
  const lines = (await metrics()).matchAll(/^latchkey_http_request_duration_seconds_count(?:{.*})? (\d+)$/gm);
  return lines.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function metrics(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${PORT_BASE + 90}/metrics`);
  return response.text();
}

function scrape(): void {
  metrics().catch(() => undefined);
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { createInstallation, readSubject } from './installation.ts';
import { paths } from './paths.ts';
import { pinToLoadCore, startLatchkey, stop } from './server.ts';

/**
 * Measures what being seen from outside costs: the rate of requests with metrics that are scraped each second, and with
 * traces of every request, as a share of the rate without. `npm run bench:observed`
 */
const PORT_BASE = 29_000;
const SCRAPE_MS = 1_000;
const MEASURED = ['context', 'refresh'];
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
const rounds: Record<string, Record<string, number>>[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const rates: Record<string, Record<string, number>> = {};
  for (const { name, env = {}, scraped = false } of MODES) {
    // biome-ignore lint/performance/noAwaitInLoops: one installation at a time
    rates[name] = await measure(env, scraped);
  }
  rounds.push(rates);
}
for (const { name } of MODES.slice(1))
  for (const path of MEASURED) {
    const ratios = rounds
      .map((rates) => (rates[name]?.[path] ?? 0) / (rates['plain']?.[path] ?? 0))
      .sort((a, b) => a - b);
    const [lowest = 0, median = 0, highest = 0] = [ratios[0], ratios[(ratios.length - 1) / 2], ratios.at(-1)];
    console.log(
      `${path}, ${name}: ${median.toFixed(2)} (${lowest.toFixed(2)}-${highest.toFixed(2)}) of the rate without`,
    );
  }
console.log(`load of this machine over the last minute: ${(loadavg()[0] ?? 0).toFixed(1)}`);
process.exit(0);

/** @returns the requests per second by path */
async function measure(env: Record<string, string>, scraped = false): Promise<Record<string, number>> {
  const installation = await createInstallation();
  const { child: latchkey } = await startLatchkey({
    ...installation.settings,
    LATCHKEY_PORT_BASE: String(PORT_BASE),
    ...env,
  });
  process.once('exit', () => latchkey.kill());
  const scraping = scraped ? setInterval(scrape, SCRAPE_MS) : undefined;
  const subject = await readSubject(installation);
  const rates: Record<string, number> = {};
  for (const name of MEASURED) {
    // biome-ignore lint/performance/noAwaitInLoops: one path at a time
    const row = await paths[name]?.(subject);
    if (row) rates[name] = row.measured.rate;
  }
  clearInterval(scraping);
  await stop(latchkey);
  await installation.end();
  return rates;
}

function scrape(): void {
  fetch(`http://127.0.0.1:${PORT_BASE + 90}/metrics`)
    .then((response) => response.text())
    .catch(() => undefined);
}

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

pinToLoadCore();
/** Accepts all traces. */
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.end());
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${Object(collector.address()).port}`;

const plain = await measure({});
const modes = {
  'metrics scraped each second': await measure({}, true),
  'traces of every request': await measure({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
};
for (const [mode, rates] of Object.entries(modes))
  for (const [path, rate] of Object.entries(rates))
    console.log(
      `${path}, ${mode}: ${rate.toFixed(0)}/s of ${plain[path]?.toFixed(0)}/s, ratio ${(rate / (plain[path] ?? 0)).toFixed(2)}`,
    );
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
    if (row) rates[row.path] = row.measured.rate;
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

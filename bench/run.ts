import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInstallation, readSubject } from './installation.ts';
import { measurePaint } from './paint.ts';
import { flood, paths, type Row } from './paths.ts';
import { replaceReport } from './performance.ts';
import { revocationDelay } from './revocation.ts';
import { pinned, pinToLoadCore, residentMegabytes, startLatchkey, stop } from './server.ts';
import { measureWebhooks } from './webhooks.ts';

/**
 * Measures every path with a target against its baseline in the same run, and writes docs/performance.md.
 * `npm run bench -- NAME…` measures only the named paths and writes nothing.
 */
const only = process.argv.slice(2);
const PORT_BASE = 26_000;

pinToLoadCore();
const installation = await createInstallation();
const { folder, settings } = installation;

const starts = only.length === 0 ? await measureStarts() : null;
const latchkey = await startLatchkey({ ...settings, LATCHKEY_PORT_BASE: String(PORT_BASE) });
const memory = await residentMegabytes(latchkey.child.pid);
const subject = await readSubject(installation);
const rows: Row[] = [];
for (const [name, measure] of Object.entries(paths)) {
  if (only.length > 0 && !only.includes(name)) continue;
  process.stdout.write(`${name}… `);
  // biome-ignore lint/performance/noAwaitInLoops: one path at a time
  const row = await measure(subject);
  rows.push(row);
  console.log(line(row));
}
const flooded = only.length === 0 || only.includes('flood') ? await measureFlood() : null;
const delay = only.length === 0 || only.includes('revocation') ? await measureRevocation() : null;
const webhooks = only.length === 0 || only.includes('webhooks') ? await measureWebhooks(subject) : [];
for (const { what, measured, bar, met } of webhooks)
  console.log(`${what}: ${measured}${bar && ` (bar ${bar}, ${met ? 'met' : 'missed'})`}`);
const paint = only.length === 0 || only.includes('paint') ? await measureConsolePaint() : null;
await stop(latchkey.child);
await installation.end();
if (only.length === 0) await replaceReport(report());
process.exit(0);

async function measureConsolePaint(): Promise<{ first: number; whole: number }> {
  const measured = await measurePaint(subject);
  console.log(
    `console… first paint after ${measured.first.toFixed(0)} ms (bar 1000 ms), its first screen after ${measured.whole.toFixed(0)} ms`,
  );
  return measured;
}

async function measureFlood(): Promise<number> {
  const { p99, loginRate } = await flood(subject);
  console.log(
    `flood… GET /v1/me/context p99 ${p99.toFixed(1)} ms under ${loginRate.toFixed(0)} sign-ins a second (bar 100 ms)`,
  );
  return p99;
}

/** Seconds from start to ready with the embedded database: first with an empty data folder, then with an existing one. */
async function measureStarts(): Promise<{ first: number; later: number }> {
  const settings = { LATCHKEY_PORT_BASE: String(PORT_BASE), LATCHKEY_DATA_DIR: join(folder, 'start') };
  const once = async () => {
    const began = performance.now();
    const { child } = await startLatchkey(settings);
    const seconds = (performance.now() - began) / 1000;
    await stop(child);
    return seconds;
  };
  return { first: await once(), later: await once() };
}

async function measureRevocation(): Promise<{ p50: number; p99: number }> {
  process.stdout.write('revocation… ');
  const addresses = {
    LATCHKEY_TEST_AUTH_URL: `http://localhost:${PORT_BASE + 1}`,
    LATCHKEY_TEST_API_URL: `http://localhost:${PORT_BASE + 2}`,
  };
  const other = await startLatchkey({ ...settings, ...addresses, LATCHKEY_PORT_BASE: String(PORT_BASE + 100) });
  const measured = await revocationDelay(subject, PORT_BASE + 102);
  await stop(other.child);
  console.log(`p50 ${measured.p50.toFixed(1)} ms, p99 ${measured.p99.toFixed(1)} ms`);
  return measured;
}

function line({ path, measured, baselineRate, bar }: Row): string {
  return `${path}: ${measured.rate.toFixed(0)}/s, p50 ${measured.p50.toFixed(1)} ms, p99 ${measured.p99.toFixed(1)} ms, ratio ${(measured.rate / baselineRate).toFixed(2)} of ${baselineRate.toFixed(0)}/s (bar ${bar})`;
}

function report(): string {
  const table = rows.map(({ path, measured, baseline, baselineRate, bar }) => {
    const ratio = measured.rate / baselineRate;
    return `| ${path} | ${measured.rate.toFixed(0)} | ${measured.p50.toFixed(1)} | ${measured.p99.toFixed(1)} | ${baseline} | ${baselineRate.toFixed(0)} | ${ratio.toFixed(2)} | ${bar.toFixed(2)} | ${ratio >= bar ? 'yes' : 'no'} |`;
  });
  return `# Performance

Written by \`npm run bench\`. Rates are of one core${pinned ? ': the server is pinned to one, the load generator and PostgreSQL share another' : ' (not pinned on this system)'}. Compare the ratios: each baseline is measured in the same run on the same machine, while rates differ between machines.

Machine: ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.versions.node}.

| path | per second | p50 ms | p99 ms | baseline | per second | ratio | bar | met |
| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | --- |
${table.join('\n')}

| what | measured | bar |
| --- | ---: | ---: |
| start to ready, empty data folder (embedded database) | ${starts?.first.toFixed(2)} s | 20 s |
| start to ready, existing database | ${starts?.later.toFixed(2)} s | 2 s |
| resident memory of the Node.js process after the start | ${memory.toFixed(0)} MB | 200 MB |
| GET /v1/me/context while others sign in as fast as they can, p99 | ${flooded?.toFixed(1)} ms | 100 ms |
| an ended session is refused by another process, p50 | ${delay?.p50.toFixed(1)} ms | |
| an ended session is refused by another process, p99 | ${delay?.p99.toFixed(1)} ms | 1000 ms |
| the console's first paint, nothing of it cached, p50 | ${paint?.first.toFixed(0)} ms | 1000 ms |
| the console's first screen with its figures, nothing of it cached, p50 | ${paint?.whole.toFixed(0)} ms | |
${webhooks.map(({ what, measured, bar }) => `| ${what} | ${measured} | ${bar} |`).join('\n')}
`;
}

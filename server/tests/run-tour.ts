import { mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import sharp from 'sharp';
import { openBrowser } from './browser.ts';
import { type ConsoleApp, openConsole } from './console-app.ts';
import { startDns } from './domains.ts';
import { startTestLatchkey, TestClock, type TestLatchkey } from './harness.ts';
import type { Operator } from './operators.ts';
import { preparePostgres } from './postgres.ts';
import { DAYS, liveAMonth } from './tour-data.ts';
import { type Stop, stopsOf, tourText } from './tour-stops.ts';

/** `npm run docs:tour`: takes the screenshots of docs/console-tour.md, and writes the page. */
const docs = resolve(import.meta.dirname, '../../docs');
const pictures = resolve(docs, 'images/console');

async function picture({ page, open, openWorkspace }: ConsoleApp, stop: Stop, name: string): Promise<number> {
  await (stop.ofWorkspace ? openWorkspace(stop.path) : open(stop.path, stop.environment));
  await page.evaluate(() => Object(globalThis).document.fonts.ready);
  // The network is never idle, because the console follows changes.
  await Promise.all(page.frames().map((frame) => frame.waitForLoadState('load')));
  const { size } = await sharp(await page.screenshot())
    .png({ palette: true, colours: 128, compressionLevel: 9, effort: 10 })
    .toFile(resolve(pictures, `${name}.png`));
  return size;
}

async function takeAll(latchkey: TestLatchkey, operator: Operator): Promise<number> {
  const browser = await openBrowser();
  const stops = await stopsOf(operator);
  const wide = await openConsole(latchkey, browser, { operator });
  const narrow = await openConsole(latchkey, browser, { operator, width: 390, colorScheme: 'dark' });
  let bytes = 0;
  for (const stop of stops) {
    // biome-ignore lint/performance/noAwaitInLoops: one page, one screenshot after the other
    bytes += await picture(wide, stop, stop.name);
    if (stop.narrow) bytes += await picture(narrow, stop, `${stop.name}-narrow`);
  }
  await browser.close();
  await writeFile(resolve(docs, 'console-tour.md'), tourText(stops));
  return bytes;
}

const postgres = await preparePostgres(() => undefined);
process.env['LATCHKEY_TEST_DATABASE_URL'] = postgres.url;
const dns = await startDns();
const clock = new TestClock(Date.now() - (DAYS - 1) * 86_400_000);
const latchkey = await startTestLatchkey({
  clock,
  settings: { LATCHKEY_ROLES: 'auth,api,console,worker,status', LATCHKEY_DNS_SERVERS: dns.address },
});
await rm(pictures, { recursive: true, force: true });
await mkdir(pictures, { recursive: true });
const bytes = await takeAll(latchkey, await liveAMonth(latchkey, clock, dns));
process.stdout.write(`The tour’s pictures take ${Math.round(bytes / 1000)} kB.\n`);
dns.stop();
await latchkey.stop();
await postgres.stop();
process.exit(0);

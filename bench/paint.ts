import pg from 'pg';
import { openBrowser } from '../server/tests/browser.ts';
import { operatorOf, operatorSession } from './console.ts';
import type { Subject } from './installation.ts';

const ROUNDS = 5;

/**
 * Opens the console's first screen in a browser with an empty cache.
 * @returns medians in milliseconds from navigation to first paint, and to the screen's figures
 */
export async function measurePaint(subject: Subject) {
  const { consoleUrl, databaseUrl, workspaceId, projectId } = subject;
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const secret = await operatorSession(database, workspaceId);
  // Warm up the server: only the browser cache should be empty.
  await (await operatorOf(database, subject))('/console/v1/overview');
  await database.end();
  const browser = await openBrowser();
  const first: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one browser after the other
    const context = await browser.newContext();
    await context.addCookies([{ name: 'latchkey-console', value: secret, url: consoleUrl }]);
    const page = await context.newPage();
    await page.goto(`${consoleUrl}/console/${workspaceId}/${projectId}/test`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' });
    const seen = await page.evaluate(() => {
      const { performance } = globalThis;
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return { first: paint?.startTime ?? Number.NaN, whole: performance.now() };
    });
    first.push(seen.first);
    whole.push(seen.whole);
    await context.close();
  }
  await browser.close();
  return { first: median(first), whole: median(whole) };
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

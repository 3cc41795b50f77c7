import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

let axe: Promise<string> | undefined;

/** The faults that axe-core finds on a page against WCAG 2.2 AA. */
export async function faultsOf(page: Page): Promise<string[]> {
  // Reading axe-core takes longer than running it; a screen that replaces another in the same document finds it there.
  if (await page.evaluate(() => !('axe' in globalThis))) {
    axe ??= readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    await page.evaluate(await axe);
  }
  return page.evaluate(async () => {
    const { axe: checker, document } = Object(globalThis);
    // The console shows mails and hosted pages in sandboxed frames; they have tests of their own.
    const { violations } = await checker.run(document, {
      iframes: false,
      resultTypes: ['violations'],
      // A fault is reported with its HTML; a selector for each element takes a fifth of the time.
      selectors: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  });
}

/** The faults of a page in the light and the dark theme, and whether it is wider than its window. */
export async function faultsInBothThemes(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    // biome-ignore lint/performance/noAwaitInLoops: one page, one theme after the other
    await page.emulateMedia({ colorScheme });
    const found = await faultsOf(page);
    const overflow = await overflowOf(page);
    if (overflow > 0) found.push(`wider than its window by ${overflow} px`);
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`));
  }
  return faults;
}

/** How many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { documentElement } = Object(globalThis).document;
    return documentElement.scrollWidth - documentElement.clientWidth;
  });
}

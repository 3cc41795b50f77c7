import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

let axe: Promise<string> | undefined;

/** The faults that axe-core finds on a page against WCAG 2.2 AA. */
export async function faultsOf(page: Page): Promise<string[]> {
  axe ??= readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  await page.evaluate(await axe);
  return page.evaluate(async () => {
    const { axe: checker, document } = Object(globalThis);
    const { violations } = await checker.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  });
}

/** How many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { documentElement } = Object(globalThis).document;
    return documentElement.scrollWidth - documentElement.clientWidth;
  });
}

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const PAGE = resolve(import.meta.dirname, '../docs/performance.md');
/** The heading of the part of the page that `npm run bench:relations` writes. */
const RELATIONS = '\n## Relations\n';

/** Writes what `npm run bench` measured, and keeps the part about relations. */
export async function replaceReport(report: string): Promise<void> {
  const [, relations] = (await readFile(PAGE, 'utf8')).split(RELATIONS);
  await writeFile(PAGE, relations === undefined ? report : `${report}${RELATIONS}${relations}`);
}

/** Writes the part about relations, and keeps the rest. */
export async function replaceRelations(text: string): Promise<void> {
  const [report = ''] = (await readFile(PAGE, 'utf8')).split(RELATIONS);
  await writeFile(PAGE, `${report}${RELATIONS}${text}`);
}

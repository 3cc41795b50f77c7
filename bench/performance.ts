import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const PAGE = resolve(import.meta.dirname, '../docs/performance.md');
/** The heading of the part of the page that `npm run bench:relations` writes. */
const RELATIONS = '\n## Relations\n';

/** The lines of the table of single figures, as the page has them. */
export async function readReport(): Promise<{ what: string; measured: string; bar: string }[]> {
  const [, table = ''] = (await readFile(PAGE, 'utf8')).split('| what | measured | bar |');
  const rows = table.split('\n\n')[0]?.matchAll(/^\| (?<what>[^|]*) \| (?<measured>[^|]*) \| (?<bar>[^|]*)\|$/gm) ?? [];
  return [...rows].flatMap(({ groups }) =>
    groups && !groups['what']?.startsWith('---')
      ? [{ what: groups['what'] ?? '', measured: groups['measured'] ?? '', bar: (groups['bar'] ?? '').trim() }]
      : [],
  );
}

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

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const MODEL = new URL('../../docs/security-model.md', import.meta.url);

/** The rows of a named table of docs/security-model.md, without its heading; cells without backticks. */
export async function modelTable(name: string): Promise<string[][]> {
  const table = new RegExp(`<!-- table: ${name} -->([\\s\\S]*?)<!-- /table -->`).exec(
    await readFile(MODEL, 'utf8'),
  )?.[1];
  assert.ok(table, `a table ${name} in docs/security-model.md`);
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('`', '').trim()),
    );
}

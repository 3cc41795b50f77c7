// Makes the parts of the Python package and the Go module that follow from the OpenAPI description: node sdk/languages/generate.ts
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readDescription } from './description.ts';
import { goFiles } from './go.ts';
import { pythonFiles } from './python.ts';

const SDK = resolve(import.meta.dirname, '..');

/** @returns the generated files by their paths */
export async function generated(): Promise<Map<string, string>> {
  const text = await readFile(resolve(SDK, '../docs/openapi/api.json'), 'utf8');
  const description = readDescription(JSON.parse(text));
  return new Map([
    ...Object.entries(pythonFiles(description)).map(
      ([name, content]) => [resolve(SDK, 'python/src/latchkey', name), content] as const,
    ),
    ...Object.entries(goFiles(description)).map(([name, content]) => [resolve(SDK, 'go', name), content] as const),
  ]);
}

if (import.meta.main) await Promise.all([...(await generated())].map(([path, content]) => writeFile(path, content)));

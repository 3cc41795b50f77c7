import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A file of the server; `path` is relative to `server/`, with `/` as separator. */
export type Source = { path: string; text: string };

/** The folder `server/`. */
export const SERVER = resolve(import.meta.dirname, '../..');

/** Every TypeScript file of the server, tests included. */
export async function readSources(): Promise<Source[]> {
  const paths = await Array.fromAsync(
    glob('**/*.ts', { cwd: SERVER, exclude: (path) => path.includes('node_modules') }),
  );
  return Promise.all(
    paths
      .sort()
      .map(async (path) => ({ path: path.replaceAll('\\', '/'), text: await readFile(join(SERVER, path), 'utf8') })),
  );
}

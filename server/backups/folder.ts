import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isNameOfBackup, type Place } from './place.ts';
import { fileSource } from './source.ts';

const PARTIAL = '.partial';
const REMAINS_MS = 86_400_000;

/** A folder, which only its owner can read if this creates it. */
export function folderPlace(folder: string): Place {
  return {
    store: async (name, content, signal) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await storeFile(join(folder, name), content, signal);
    },
    open: (name) => fileSource(join(folder, name)),
    list: async () => (await namesIn(folder)).filter(isNameOfBackup).sort(),
    remove: (name) => rm(join(folder, name), { force: true }),
    removeRemains: async (now) => {
      for (const name of await namesIn(folder)) {
        const path = join(folder, name);
        const isRemains = name.endsWith(PARTIAL) && isNameOfBackup(name.slice(0, -PARTIAL.length));
        // biome-ignore lint/performance/noAwaitInLoops: hardly ever any
        if (isRemains && now.getTime() - (await stat(path)).mtimeMs > REMAINS_MS) await rm(path, { force: true });
      }
    },
  };
}

/** Stores a file that appears when it is complete, and that only its owner can read. */
export async function storeFile(path: string, content: Readable, signal?: AbortSignal): Promise<void> {
  const partial = `${path}${PARTIAL}`;
  try {
    await pipeline(content, createWriteStream(partial, { mode: 0o600, flags: 'w' }), { signal });
    await sync(partial, 'r+');
    await rename(partial, path);
    await sync(dirname(path), 'r');
  } finally {
    await rm(partial, { force: true });
  }
}

/** A backup that was reported as written must survive a loss of power. */
async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

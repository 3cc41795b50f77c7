import { rm } from 'node:fs/promises';

/** What a benchmark started: processes, and folders that are removed. */
export type Guarded = { pid: number } | { folder: string };

/**
 * Ends what a benchmark started when the benchmark ends, also when it is killed: then the channel to it closes. A
 * process of its own, because a killed process runs no code.
 */
const pids = new Set<number>();
const folders = new Set<string>();

process.on('message', (guarded: Guarded) => {
  if ('pid' in guarded) pids.add(guarded.pid);
  else folders.add(guarded.folder);
});
// Ctrl-C in a terminal reaches this process too.
process.on('SIGINT', () => undefined);
process.on('disconnect', async () => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has ended.
    }
  }
  await Promise.all(
    [...folders].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })),
  );
});

import type { Config } from '#platform/config.ts';
import { takeDataDir } from '#platform/data-dir.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres.ts';

/** A database to work on, and what to do when done. */
export type Database = { url: string; stop: () => Promise<void>; ended: Promise<void> };

const NEVER = new Promise<void>(() => undefined);

/**
 * The configured server, or the embedded one; in the embedded mode the data folder belongs to one process at a time.
 * @throws AlreadyRunningError
 */
export async function openDatabase(config: Config, progress: (line: string) => void): Promise<Database> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, stop: async () => undefined, ended: NEVER };
  const folder = takeDataDir(config);
  let server: EmbeddedPostgres;
  try {
    server = await startEmbeddedPostgres({ dataDir: config.dataDir, port: config.ports.database, database: 'latchkey', progress });
  } catch (error) {
    folder.release();
    throw error;
  }
  return {
    url: server.url,
    ended: server.ended,
    stop: async () => {
      await server.stop();
      folder.release();
    },
  };
}

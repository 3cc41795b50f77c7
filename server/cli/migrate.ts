import { loadConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { migrate } from '#platform/migrate.ts';
import { openDatabase } from './database.ts';
import { failing } from './failing.ts';

/** Brings the database to this version's schema and ends. */
export async function migrateDatabase(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(async () => {
    const config = loadConfig(process.env, overrides);
    const log = createLog(config);
    const database = await openDatabase(config, log);
    try {
      await migrate(database.url, log);
      process.stdout.write('The database has the schema of this version.\n');
    } finally {
      await database.stop();
    }
  });
}

import { loadConfig } from '#platform/config.ts';
import { migrate } from '#platform/migrate.ts';
import { openDatabase } from './database.ts';
import { failing } from './failing.ts';

/** Brings the database to this version's schema and ends. */
export async function migrateDatabase(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(async () => {
    const config = loadConfig(undefined, overrides);
    const database = await openDatabase(config, say);
    try {
      await migrate(database.url, say);
      say('The database has the schema of this version.');
    } finally {
      await database.stop();
    }
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

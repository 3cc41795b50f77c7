import { readMigrations } from '#migrations';
import { loadConfig } from '#platform/config.ts';
import { migrate } from '#platform/migrate.ts';
import { joinDatabase } from './database.ts';
import { failing } from './failing.ts';
import type { Overrides } from './installation.ts';

/** Migrates the database to this version's schema and exits. */
export async function migrateDatabase(overrides: Overrides, { json }: { json?: true }): Promise<void> {
  const tell = json ? (line: string) => process.stderr.write(`${line}\n`) : say;
  await failing(async () => {
    const config = loadConfig(undefined, overrides);
    const database = await joinDatabase(config, tell);
    try {
      await migrate(database.url, tell);
      const schema = (await readMigrations()).at(-1)?.id;
      say(json ? JSON.stringify({ schema }) : 'The database has the schema of this version.');
    } finally {
      await database.stop();
    }
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

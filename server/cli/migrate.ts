import { readMigrations } from '#migrations';
import { type BackfillProgress, readBackfills } from '#platform/backfills.ts';
import { loadConfig } from '#platform/config.ts';
import { connectAlone } from '#platform/connections.ts';
import { migrate } from '#platform/migrate.ts';
import { announcerFor } from './announcer.ts';
import { joinDatabase } from './database.ts';
import { failing } from './failing.ts';
import type { Overrides } from './installation.ts';
import { type PlannedMigration, planMigrations } from './migration-plan.ts';

/** Migrates the database to this version's schema, or says what that would do, and exits. */
export async function migrateDatabase(
  overrides: Overrides,
  { json, plan }: { json?: true; plan?: true },
): Promise<void> {
  await failing(overrides, async () => {
    const tell = announcerFor(overrides, json ? process.stderr : process.stdout).say;
    const config = loadConfig(undefined, overrides);
    const database = await joinDatabase(config, tell);
    try {
      if (plan) return await showPlan(database.url, json);
      await migrate(database.url, tell);
      const schema = (await readMigrations()).at(-1)?.id;
      if (json) say(JSON.stringify({ schema }));
      else tell('The database has the schema of this version.', { schema });
    } finally {
      await database.stop();
    }
  });
}

async function showPlan(databaseUrl: string, json?: true): Promise<void> {
  const client = await connectAlone(databaseUrl, { name: 'latchkey-plan', readOnly: true });
  const read = async () => [await planMigrations(client, await readMigrations()), await readBackfills(client)] as const;
  const [migrations, backfills] = await read().finally(() => client.end());
  if (json) return say(JSON.stringify({ migrations, backfills }, null, 2));
  for (const backfill of backfills.filter(({ completed }) => !completed)) say(toldBackfill(backfill));
  if (migrations.length === 0) return say('Nothing is pending.');
  for (const migration of migrations) say(described(migration));
  const seconds = migrations.reduce((sum, migration) => sum + migration.seconds, 0);
  say(
    `${migrations.length} migrations are pending; together they take ${duration(seconds)}. The times are rough: they come from the sizes of the tables.`,
  );
}

/** For a person: how far a backfill is. */
export function toldBackfill({ name, done, total }: BackfillProgress): string {
  return `The worker fills ${name}: ${done} of about ${Math.max(done, total)} rows.`;
}

/** How a lock hinders requests. */
const BLOCKED: Record<string, string> = {
  AccessExclusiveLock: 'neither reads nor writes',
  ShareRowExclusiveLock: 'no writes',
  ShareLock: 'no writes',
};

function described(migration: PlannedMigration): string {
  const { id, name, compatibleSince, statements, seconds, concurrently, backfill } = migration;
  const locks = new Map<string, string>();
  for (const { table, mode } of statements.flatMap((statement) => statement.locks))
    if (mode in BLOCKED && locks.get(table) !== 'AccessExclusiveLock') locks.set(table, mode);
  const blocked = [...locks].map(([table, mode]) => `${table} (${BLOCKED[mode]})`);
  return [
    `${id} ${name}: ${compatibleSince === null ? 'earlier versions keep serving' : `versions that know schema ${compatibleSince} keep serving`}`,
    ...(concurrently
      ? ['  It runs outside of a transaction, and continues when it is run again after an interruption.']
      : []),
    ...(backfill
      ? [`  The worker then changes ${backfill.rows} rows of ${backfill.table} in small steps, while Latchkey serves.`]
      : []),
    `  ${blocked.length === 0 ? 'It blocks no requests' : `It blocks ${blocked.join(', ')}`}, and takes ${duration(seconds)}.`,
    ...statements.map(
      ({ sql, seconds: own }) => `\n${sql.replaceAll(/^/gm, '    ')};${own < 1 ? '' : ` -- ${duration(own)}`}`,
    ),
    '',
  ].join('\n');
}

function duration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  return seconds < 120 ? `about ${Math.ceil(seconds)} s` : `about ${Math.ceil(seconds / 60)} minutes`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

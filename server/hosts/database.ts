import type { Logger } from 'pino';
import type { Config } from '#platform/config.ts';
import { connectAlone, poolConnections } from '#platform/connections.ts';
import { exposureOf } from '#platform/database-url.ts';
import { migrate } from '#platform/migrate.ts';
import { faultOfConnections, readConnections, requirePreparedStatements } from '#platform/server-fitness.ts';
import { StartError } from '#platform/start-error.ts';
import { JOB_CONNECTIONS } from './worker.ts';

type Prepared = { config: Config; databaseUrl: string; log: Logger; progress: (line: string) => void };

/**
 * Checks that the database fits this process, and brings it to this version's schema.
 * @throws StartError
 */
export async function prepareDatabase({ config, databaseUrl, log, progress }: Prepared): Promise<void> {
  const exposure = config.databaseUrl === null ? null : exposureOf(config.databaseUrl);
  if (exposure !== null) log.warn(`${exposure} Set sslmode=verify-full in DATABASE_URL.`);
  await migrate(databaseUrl, progress);
  if (config.databaseDirectUrl !== null && config.databaseUrl !== null)
    await requirePreparedStatements(config.databaseUrl);
  const client = await connectAlone(databaseUrl, { name: 'latchkey-start' });
  const found = await readConnections(client).finally(() => client.end());
  const needed = connectionsNeeded(config);
  const fault = faultOfConnections(needed, found);
  if (fault === null) return;
  if (needed > found.allowed) throw new StartError(fault);
  log.warn({ needed, ...found }, fault);
}

/** The maximum number of connections that a process with this configuration opens to PostgreSQL itself. */
export function connectionsNeeded({ roles, database, databaseDirectUrl, backup }: Config): number {
  const pooled = databaseDirectUrl === null ? poolConnections(database.pool) : 0;
  const feed = 1;
  // One connection holds the lock and one copies; verifying opens three more, to the temporary database.
  const backups = backup.schedule === null && backup.verifySchedule === null ? 0 : 5;
  const worker = roles.includes('worker') ? 2 + backups + (databaseDirectUrl === null ? 0 : JOB_CONNECTIONS) : 0;
  const status = roles.includes('status') ? 1 : 0;
  return pooled + feed + worker + status;
}

import type pg from 'pg';
import { withSystem } from '#hosts';
import { oldAddresses } from '#identifiers';
import { examineDataKeys } from '#keys';
import { dearHashes } from '#passwords';
import type { Config } from '#platform/config.ts';
import { connectAlone } from '#platform/connections.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { hostsOf } from '#platform/database-url.ts';
import { createLog } from '#platform/log.ts';
import { joinDatabase } from './database.ts';
import type { Finding } from './doctor.ts';
import { checkBackups } from './doctor-backups.ts';
import { checkConnection } from './doctor-connection.ts';
import { checkDivision } from './doctor-division.ts';
import { checkMemory } from './doctor-memory.ts';
import { checkUpgrade } from './doctor-upgrade.ts';
import { explain } from './explain.ts';

const CLOCK_SKEW_MS = 5_000;
const LATE_JOBS_SECONDS = 60;
const OLDEST_SERVER = 160_000;

/**
 * Checks that the database is reachable, accepts writes, has the right version and schema, opens with the secret, and
 * has no stuck jobs.
 */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    const database = await joinDatabase(config, () => undefined);
    try {
      const client = await connectAlone(database.url, { name: 'latchkey-doctor', readOnly: true });
      return await examine(client, { databaseUrl: database.url, config }).finally(() => client.end());
    } finally {
      await database.stop();
    }
  } catch (error) {
    return [{ check: 'database', state: 'failed', found: 'no connection', remedy: explain(error) }];
  }
}

type Opened = { databaseUrl: string; config: Config };

async function examine(client: pg.Client, opened: Opened): Promise<Finding[]> {
  const { config } = opened;
  const { rows } = await client.query<{
    version: string;
    number: number;
    now: Date;
    standby: boolean;
    writes: boolean;
  }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
       clock_timestamp() as now, pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'off' as writes`,
  );
  const [server] = rows;
  if (!server) throw new Error('unreachable: a select without from has a row');
  const where = config.databaseUrl === null ? 'embedded' : hostsOf(config.databaseDirectUrl ?? config.databaseUrl);
  const old = server.number < OLDEST_SERVER;
  const found = `PostgreSQL ${server.version} (${where})`;
  if (!server.writes)
    return [
      {
        check: 'database',
        state: 'failed',
        found: `${found} accepts no writes${server.standby ? ': it is a standby' : ''}`,
        remedy: server.standby
          ? 'Name the primary in DATABASE_URL, or all servers: postgres://user:password@one:5432,two:5432/database.'
          : 'It was set to read-only (default_transaction_read_only). Latchkey serves again when that is undone.',
      },
    ];
  return [
    {
      check: 'database',
      state: old ? 'failed' : 'ok',
      found,
      ...(old && { remedy: 'Latchkey needs PostgreSQL 16 or newer.' }),
    },
    ...(await checkConnection(client, opened)),
    ...clock(server.now),
    await checkMemory(client),
    ...(await checkDivision(client)),
    ...(await checkSchema(client, opened)),
  ];
}

/** Codes and tokens live for seconds: a wrong clock makes them expire early or late. */
function clock(databaseTime: Date): Finding[] {
  const skew = Math.abs(Date.now() - databaseTime.getTime());
  if (skew < CLOCK_SKEW_MS) return [];
  const found = `this machine and the database are ${Math.round(skew / 1000)} s apart`;
  return [{ check: 'clock', state: 'warning', found, remedy: 'Let NTP set the clock on both machines.' }];
}

async function checkSchema(client: pg.Client, { databaseUrl, config }: Opened): Promise<Finding[]> {
  const { ready, findings } = await checkUpgrade(client);
  if (!ready) return findings;
  return [
    ...findings,
    await checkSecret(databaseUrl, config),
    await checkStoredAddresses(databaseUrl, config),
    await checkExpensiveHashes(databaseUrl, config),
    ...(await checkJobs(client)),
    ...(await checkBackups(databaseUrl, config)),
  ];
}

/** How many ids are listed; the rest is only counted. */
const MAX_LISTED = 20;

/**
 * Users whose address was stored before addresses were parsed. Lists ids, because the reader need not see the
 * addresses.
 */
async function checkStoredAddresses(databaseUrl: string, config: Config): Promise<Finding> {
  const check = 'email addresses';
  const old = await withSystem(optionsOf(databaseUrl, config), oldAddresses);
  if (old.length === 0) return { check, state: 'ok', found: 'all stored addresses follow the rule for new ones' };
  const ids = old
    .slice(0, MAX_LISTED)
    .map(({ workspaceId, environment, userId }) => `${workspaceId}/${environment}/${userId}`);
  const more = old.length > MAX_LISTED ? ` and ${old.length - MAX_LISTED} more` : '';
  return {
    check,
    state: 'warning',
    found: `${old.length} stored addresses do not follow the rule for new ones: ${ids.join(', ')}${more}`,
    remedy: 'They still sign in with the stored address. Give them another one: docs/members.md#addresses.',
  };
}

/** Hashes whose verification takes more memory or time than an import accepts today. */
async function checkExpensiveHashes(databaseUrl: string, config: Config): Promise<Finding> {
  const check = 'password hashes';
  const dear = await withSystem(optionsOf(databaseUrl, config), dearHashes);
  if (dear.length === 0) return { check, state: 'ok', found: 'none costs more to check than an import accepts' };
  const places = dear.map(({ workspaceId, environment, count }) => `${workspaceId}/${environment} (${count})`);
  return {
    check,
    state: 'warning',
    found: `expensive imported hashes: ${places.join(', ')}`,
    remedy:
      'They are checked one at a time and replaced at the next sign-in; reset the others: docs/security-model.md.',
  };
}

function optionsOf(databaseUrl: string, config: Config) {
  return { config, databaseUrl, secrets: loadSecrets(config), log: createLog(config) };
}

async function checkSecret(databaseUrl: string, config: Config): Promise<Finding> {
  const check = 'secret';
  const keys = await withSystem(optionsOf(databaseUrl, config), examineDataKeys);
  if (keys === null) return { check, state: 'ok', found: 'no data keys yet: the first start creates them' };
  if ('fault' in keys)
    return { check, state: 'failed', found: keys.fault, remedy: 'Put the old secret back into LATCHKEY_SECRET.' };
  const { secretIds, sealsWith, wrappedByOlder, sealedOtherwise, needsNewKey } = keys;
  const found = `${secretIds.join(', ')} encrypts the data keys, of which ${sealsWith} seals`;
  const rest = [
    wrappedByOlder && 'an older secret than the first still encrypts them',
    needsNewKey && 'that key is itself a secret',
    sealedOtherwise > 0 && `${sealedOtherwise} rows are sealed with other keys`,
  ].filter((text) => text !== false);
  if (rest.length === 0) return { check, state: 'ok', found };
  return {
    check,
    state: 'warning',
    found: `${found}; ${rest.join('; ')}`,
    remedy: 'When every process has the first secret of LATCHKEY_SECRET, run: latchkey keys reseal',
  };
}

/** Due jobs that no worker takes: none runs, or it can't keep up. */
async function checkJobs(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ waiting: number; seconds: number | null; given_up: number }>(
    `select count(*) filter (where late)::integer as waiting, max(age) filter (where late) as seconds,
       count(*) filter (where attempts >= max_attempts)::integer as given_up
     from (select attempts, max_attempts, extract(epoch from now() - run_at)::integer as age,
         attempts < max_attempts and locked_at is null and run_at < now() as late
       from graphile_worker._private_jobs) as jobs`,
  );
  const { waiting = 0, seconds = 0, given_up: givenUp = 0 } = rows[0] ?? {};
  const late = (seconds ?? 0) > LATE_JOBS_SECONDS;
  const found: Finding[] = [
    {
      check: 'jobs',
      state: late ? 'warning' : 'ok',
      found: late ? `${waiting} wait, the oldest for ${seconds} s` : `${waiting} wait`,
      ...(late && { remedy: 'Start a process with the role worker, or more of them.' }),
    },
  ];
  if (givenUp > 0)
    found.push({
      check: 'jobs',
      state: 'warning',
      found: `${givenUp} were given up after their last attempt`,
      remedy: 'See last_error in graphile_worker._private_jobs.',
    });
  return found;
}

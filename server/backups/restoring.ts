import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { canOpenSigningKeys } from '#keys';
import { readMigrations } from '#migrations';
import { connectAlone } from '#platform/connections.ts';
import type { Keyring } from '#platform/keyring.ts';
import { migrate } from '#platform/migrate.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { allWorkspaces } from '#tenancy';
import {
  copyStatement,
  Manifest,
  type Progress,
  prepareCopying,
  RowMeter,
  type ShowProgress,
  type TableContent,
  tablesOf,
} from './archive.ts';
import { type Archive, openArchive } from './archive-reading.ts';
import type { Source } from './source.ts';

/** @throws StartError if a newer version made the backup */
async function checkVersion({ latchkey, schema }: Manifest): Promise<void> {
  const known = (await readMigrations()).at(-1)?.id ?? 0;
  if (schema > known)
    throw new StartError(
      `The backup is of Latchkey ${latchkey} with schema ${schema}, but this Latchkey knows schemas up to ${known}. Restore it with that version or a newer one.`,
    );
}

/** @throws StartError if none of the configured secrets decrypts what is sealed in the backup */
function checkSecrets({ secretIds }: Manifest, keyring: Keyring): void {
  if (secretIds.some((id) => keyring.secretIds.includes(id))) return;
  throw new StartError(
    'The backup was made with another LATCHKEY_SECRET: what is encrypted in it could not be read. Configure the secret it was made with (without DATABASE_URL: the file "secret" of the data folder).',
  );
}

const SCRATCH = 'latchkey_verify_';

/** Makes a temporary database beside the given one, for as long as the work takes. */
async function inScratchDatabase(databaseUrl: string, work: (url: string) => Promise<void>): Promise<void> {
  const name = `${SCRATCH}${randomBytes(6).toString('hex')}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  // The name of this connection tells that the database is in use.
  const administrator = await connectAlone(databaseUrl, { name });
  try {
    await dropAbandoned(administrator);
    await administrator.query(`create database ${name}`);
    await work(url.href);
  } finally {
    // Without `force`, PostgreSQL waits some seconds for connections that are closing; ending them would log errors.
    await administrator
      .query(`drop database if exists ${name}`)
      .catch(() => administrator.query(`drop database if exists ${name} with (force)`));
    await administrator.end();
  }
}

/** Drops temporary databases whose process was killed. */
async function dropAbandoned(administrator: pg.Client): Promise<void> {
  const { rows } = await administrator.query<{ name: string }>(
    `select datname as name from pg_database d where starts_with(datname, $1) and pg_has_role(datdba, 'member')
       and not exists (select from pg_stat_activity where application_name = d.datname)`,
    [SCRATCH],
  );
  const dropped = rows.map(({ name }) =>
    administrator.query(`drop database if exists ${administrator.escapeIdentifier(name)} with (force)`),
  );
  await Promise.all(dropped);
}

export type Restoring = {
  name: string;
  source: Promise<Source>;
  /** Of LATCHKEY_BACKUP_KEY. */
  keys: readonly string[];
  keyring: Keyring;
  /** In a temporary database; reads every table again, and compares what is stored with what was written. */
  verify: boolean;
  say: (line: string) => void;
  showProgress: ShowProgress;
  /** Opens the database that is restored. */
  withSystemOf: <T>(databaseUrl: string, work: (system: System) => Promise<T>) => Promise<T>;
};

/**
 * Restores a backup into an empty database, or only proves that it could be.
 * @throws StartError if it can't be restored there
 */
export async function restoreBackup(databaseUrl: string, restoring: Restoring): Promise<Manifest> {
  const archive = await openArchive({ ...restoring, schema: Manifest, what: 'a backup' });
  await checkVersion(archive.manifest);
  checkSecrets(archive.manifest, restoring.keyring);
  if (restoring.verify) await inScratchDatabase(databaseUrl, (url) => restoreInto(url, archive, restoring));
  else await restoreInto(databaseUrl, archive, restoring);
  return archive.manifest;
}

/**
 * Restores into an empty database, in one transaction, and migrates it to this version.
 * @throws StartError
 */
async function restoreInto(
  databaseUrl: string,
  archive: Archive<Manifest>,
  { verify, say, showProgress, withSystemOf }: Restoring,
): Promise<void> {
  await checkEmpty(databaseUrl, withSystemOf);
  await migrate(databaseUrl, say, archive.manifest.schema);
  const client = await connectAlone(databaseUrl, { name: 'latchkey-restore' });
  const progress = showProgress(
    'Rows restored',
    archive.manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
  );
  try {
    await prepareCopying(client);
    await client.query('begin');
    await load(client, archive, { verify, progress });
    await client.query('commit');
    await client.query('analyze');
  } finally {
    progress.end();
    archive.zip.close();
    await client.end();
  }
  await migrate(databaseUrl, say);
  const opened = await withSystemOf(databaseUrl, canOpenSigningKeys);
  if (!opened) throw new StartError('The configured secrets do not decrypt the sealed values of the backup.');
}

/** @throws StartError if the database contains data; remains of a failed restore do not count */
async function checkEmpty(databaseUrl: string, withSystemOf: Restoring['withSystemOf']): Promise<void> {
  const client = await connectAlone(databaseUrl, { name: 'latchkey-restore' });
  const { rows } = await client
    .query<{ there: boolean }>("select to_regclass('public.schema_migrations') is not null as there")
    .finally(() => client.end());
  if (!rows[0]?.there) return;
  const workspaces = await withSystemOf(databaseUrl, ({ db }) => allWorkspaces(db));
  if (workspaces.length === 0) return;
  throw new StartError(
    'The database holds an installation already. Restore into an empty one: set DATABASE_URL, or LATCHKEY_DATA_DIR to a new folder (copy the file "secret" there first).',
  );
}

async function load(
  client: pg.Client,
  { zip, entries, manifest }: Archive<Manifest>,
  { verify, progress }: { verify: boolean; progress: Progress },
): Promise<void> {
  const here = await tablesOf(client);
  const order = new Map(here.map(({ name }, position) => [name, position]));
  const unknown = manifest.tables.filter(({ name }) => !order.has(name));
  if (unknown.length > 0)
    throw new StartError(`This Latchkey has no tables ${unknown.map(({ name }) => name).join(', ')}.`);
  // The backup also contains the rows that migrations insert.
  await client.query(`truncate ${here.map(({ name }) => name).join(', ')}`);
  const tables = manifest.tables.toSorted((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
  for (const table of tables) {
    const entry = entries.get(`${table.name}.copy`);
    if (!entry) throw new StartError(`The backup lacks the rows of ${table.name}: it is damaged.`);
    const meter = new RowMeter(progress.advance);
    // biome-ignore lint/performance/noAwaitInLoops: referenced tables first, on one connection
    await pipeline(
      await zip.openReadStreamPromise(entry),
      meter,
      client.query(copyFrom(copyStatement(table, 'from stdin'))),
    );
    checkContent(table, meter);
    if (verify) await checkStored(client, table);
  }
  for (const { name, value } of manifest.sequences)
    if (value !== null)
      // biome-ignore lint/performance/noAwaitInLoops: only a handful
      await client.query('select setval($1, $2)', [name, value]);
  // The workers that had locked jobs at the time of the backup do not run here.
  await client.query(
    'update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_at is not null',
  );
  await client.query(
    'update graphile_worker._private_job_queues set locked_at = null, locked_by = null where locked_at is not null',
  );
}

/** Triggers of this version must not have changed what was loaded. */
async function checkStored(client: pg.Client, table: TableContent): Promise<void> {
  const meter = new RowMeter(() => undefined);
  await pipeline(client.query(copyTo(copyStatement(table, 'to stdout'))), meter, new Writable({ write: discard }));
  if (meter.rows === table.rows && meter.fingerprint() === table.sha256) return;
  throw new StartError(
    `${table.name} does not hold what was loaded: ${meter.rows} rows of ${table.rows}, or other ones.`,
  );
}

function discard(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
  done();
}

function checkContent({ name, rows, sha256 }: TableContent, meter: RowMeter): void {
  if (meter.rows === rows && meter.fingerprint() === sha256) return;
  throw new StartError(
    `The backup is damaged: ${name} has ${meter.rows} rows of the ${rows} that were written, or other ones. Nothing was restored.`,
  );
}

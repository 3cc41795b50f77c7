import { advisoryLocks } from '#platform/advisory-locks.ts';
import { connectAlone } from '#platform/connections.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { VERSION } from '#platform/version.ts';
import type { ShowProgress } from './archive.ts';
import { nameOfBackup, type Place } from './place.ts';
import { placeAt } from './places.ts';
import { forget, isGood, readRecords, recordFailure, recordSuccess } from './records.ts';
import { fileSource, type Source } from './source.ts';
import { type Written, writeBackup } from './writing.ts';

/**
 * The configured place.
 * @throws StartError if none is configured
 */
export function configuredPlace({ config }: Pick<System, 'config'>): Place {
  if (config.backup.to === null) throw new StartError('Backups have no place. Set LATCHKEY_BACKUP_TO, or name a file.');
  return placeAt(config.backup.to);
}

/**
 * Finds a backup by the name of its file or, with `stored`, by its name at the configured place; `newest` is the newest
 * there.
 * @throws StartError if there is no place, or no backup
 */
export async function findBackup(
  system: Pick<System, 'config'>,
  { named, stored }: { named: string; stored: boolean },
): Promise<{ name: string; source: Promise<Source> }> {
  if (!stored) return { name: named, source: fileSource(named) };
  const place = configuredPlace(system);
  const name = named === 'newest' ? (await place.list()).at(-1) : named;
  if (name === undefined) throw new StartError('There is no backup at LATCHKEY_BACKUP_TO yet.');
  return { name, source: place.open(name) };
}

type Making = { showProgress: ShowProgress; signal?: AbortSignal };
type Made = Written & { name: string };

/**
 * Makes a backup at the configured place, records it, and removes the backups that are no longer kept. A failure is
 * recorded, too, unless the signal ended it.
 */
export async function makeBackup(system: System, { showProgress, signal }: Making): Promise<Made> {
  const place = configuredPlace(system);
  const startedAt = system.clock.now();
  const name = nameOfBackup(startedAt);
  try {
    const written = await writeBackup(system.databaseUrl, {
      latchkey: VERSION,
      secretIds: system.keyring.secretIds,
      key: system.config.backup.keys[0] ?? null,
      showProgress,
      store: (content) => place.store(name, content, signal),
    });
    const rows = written.tables.reduce((sum, table) => sum + table.rows, 0);
    await recordSuccess(system, { name, startedAt, bytes: written.bytes, rows });
    await tidy(system, place);
    return { ...written, name };
  } catch (error) {
    if (!signal?.aborted) await recordFailure(system, { name, startedAt, error });
    throw error;
  }
}

/** Removes what is not kept. A failure does not spoil the backup that was just made. */
async function tidy(system: System, place: Place): Promise<void> {
  try {
    await removeOld(system, place);
    await place.removeRemains(system.clock.now());
  } catch (error) {
    system.log.warn({ err: error }, 'old backups could not be removed; it is tried again after the next backup');
  }
}

const DAY_MS = 86_400_000;

/**
 * Removes backups beyond the number and the age that are kept. It removes only what this installation has recorded, and
 * never the newest that is not known to be damaged, nor the newest that was verified.
 */
async function removeOld(system: System, place: Place): Promise<void> {
  const { keep, keepDays } = system.config.backup;
  const there = new Set(await place.list());
  const good = (await readRecords(system)).filter(isGood);
  const kept = good.filter(({ name }) => there.has(name));
  const newest = kept.find(({ verify_error: fault }) => fault === null);
  const verified = kept.find(({ verified_at: at, verify_error: fault }) => at !== null && fault === null);
  const oldest = keepDays === null ? 0 : system.clock.now().getTime() - keepDays * DAY_MS;
  for (const [index, record] of kept.entries()) {
    const isOld = index >= keep || record.started_at.getTime() < oldest;
    if (!isOld || record === newest || record === verified) continue;
    // biome-ignore lint/performance/noAwaitInLoops: a few after each backup
    await place.remove(record.name);
    there.delete(record.name);
  }
  const gone = good.filter(({ name }) => !there.has(name));
  await Promise.all(gone.map(({ name }) => forget(system, name)));
}

/** If a process is frozen while it makes a backup, another one takes over. */
const MAX_SILENCE_MS = 120_000;
const SIGN_OF_LIFE_MS = 30_000;

/**
 * Runs work on backups that only one process of the installation may do at a time.
 * @returns null if another one is at work
 */
export async function alone<T>(system: System, work: () => Promise<T>): Promise<T | null> {
  const client = await connectAlone(system.databaseUrl, { name: 'latchkey-backup-lock', silenceMs: MAX_SILENCE_MS });
  const signs = system.clock.every(SIGN_OF_LIFE_MS, () => {
    client.query('select 1').catch(() => undefined);
  });
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      advisoryLocks.backup,
    ]);
    return rows[0]?.taken ? await work() : null;
  } finally {
    signs();
    await client.end();
  }
}

/**
 * {@link makeBackup}, unless another process works on a backup.
 * @returns null in that case
 */
export function makeBackupAlone(system: System, making: Making): Promise<Made | null> {
  return alone(system, () => makeBackup(system, making));
}

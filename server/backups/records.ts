import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';

type BackupsTable = {
  name: string;
  started_at: Date;
  finished_at: Date;
  /** Null if it failed. */
  bytes: number | null;
  row_count: number | null;
  error: string | null;
  /** When it was last restored in a temporary database, and why that failed. */
  verified_at: Date | null;
  verify_error: string | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    backups: BackupsTable;
  }
}

export type BackupRecord = BackupsTable;
export type GoodRecord = BackupsTable & { bytes: number; row_count: number };

const MAX_ERROR = 500;

export async function recordSuccess(
  system: System,
  made: { name: string; startedAt: Date; bytes: number; rows: number },
): Promise<void> {
  const { name, startedAt, bytes, rows } = made;
  const row = { name, started_at: startedAt, finished_at: system.clock.now(), bytes, row_count: rows };
  await singleWrite(system, 'outcome').insertInto('backups').values(row).execute();
}

export async function recordFailure(
  system: System,
  failed: { name: string; startedAt: Date; error: unknown },
): Promise<void> {
  const { name, startedAt, error } = failed;
  const row = { name, started_at: startedAt, finished_at: system.clock.now(), error: reasonOf(error) };
  await singleWrite(system, 'outcome').insertInto('backups').values(row).execute();
}

/** Does nothing for a backup that is not recorded, such as that of another installation. */
export async function recordVerification(system: System, name: string, error: unknown): Promise<void> {
  await singleWrite(system, 'outcome')
    .updateTable('backups')
    .set({ verified_at: system.clock.now(), verify_error: error === null ? null : reasonOf(error) })
    .where('name', '=', name)
    .execute();
}

export async function forget(system: System, name: string): Promise<void> {
  await singleWrite(system, 'clean-up').deleteFrom('backups').where('name', '=', name).execute();
}

/** Everything that is recorded, the newest first. */
export async function readRecords({ db }: Pick<System, 'db'>): Promise<BackupRecord[]> {
  return db.selectFrom('backups').selectAll().orderBy('started_at', 'desc').orderBy('name', 'desc').execute();
}

export function isGood(record: BackupRecord): record is GoodRecord {
  return record.error === null;
}

const FAILURES_KEPT_MS = 30 * 86_400_000;

export async function deleteOldFailures(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - FAILURES_KEPT_MS);
  await singleWrite(system, 'clean-up')
    .deleteFrom('backups')
    .where('error', 'is not', null)
    .where('started_at', '<', before)
    .execute();
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR);
}

import type { System } from '#platform/system.ts';
import { type BackupRecord, type GoodRecord, isGood, readRecords } from './records.ts';
import { nextTime } from './times.ts';

/** What is known about the backups of the installation. */
export type BackupState = {
  /** The newest first; without those of a clock that was set ahead. */
  records: BackupRecord[];
  newest: GoodRecord | null;
  /** Since when a backup should be there; null: none is due. */
  dueSince: Date | null;
  /** Failures since the last success, the newest first. */
  failures: BackupRecord[];
  /** The last backup that was verified. */
  verified: GoodRecord | null;
};

export async function backupState(system: Pick<System, 'db' | 'clock' | 'config'>): Promise<BackupState> {
  const now = system.clock.now();
  const records = (await readRecords(system)).filter(({ started_at: startedAt }) => startedAt <= now);
  const good = records.filter(isGood);
  const failures = records.slice(0, records.findIndex(isGood) === -1 ? undefined : records.findIndex(isGood));
  const [newest = null] = good;
  const [verified = null] = good
    .filter(({ verified_at: at }) => at !== null && at <= now)
    .sort((a, b) => Number(b.verified_at) - Number(a.verified_at));
  return { records, newest, dueSince: dueSince(system, { newest, failures, now }), failures, verified };
}

/** Without any backup, one is due since the first failure. */
function dueSince(
  { config }: Pick<System, 'config'>,
  { newest, failures, now }: Pick<BackupState, 'newest' | 'failures'> & { now: Date },
): Date | null {
  const { schedule } = config.backup;
  if (schedule === null) return null;
  if (newest === null) return failures.at(-1)?.started_at ?? null;
  const next = nextTime(schedule, newest.started_at);
  return next !== null && next <= now ? next : null;
}

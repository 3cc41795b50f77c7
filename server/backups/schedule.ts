import { Cron } from 'croner';
import { repeat } from '#platform/repeating.ts';
import type { System } from '#platform/system.ts';
import { alone, makeBackup } from './backups.ts';
import { type BackupRecord, deleteOldFailures, isGood, readRecords } from './records.ts';
import { type Verifying, verifyStored } from './verifying.ts';

const LOOK_MS = 30_000;
/** How long after a failure the next try is made. */
const RETRY_MS = 15 * 60_000;

const silently = { showProgress: () => ({ advance: () => undefined, end: () => undefined }), say: () => undefined };

/** Makes backups and verifies them when the configuration says so. */
export function startBackups(system: System, withSystemOf: Verifying['withSystemOf']): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const work = repeat(system, LOOK_MS, {
    makeDueBackup: () => makeDueBackup(system, stopping.signal),
    verifyDueBackup: () => verifyDueBackup(system, withSystemOf),
  });
  return {
    stop: () => {
      stopping.abort();
      return work.stop();
    },
  };
}

/** Makes a backup if one is due and no other process makes one. A failure is logged, recorded and tried again. */
export async function makeDueBackup(system: System, signal?: AbortSignal): Promise<void> {
  const { schedule } = system.config.backup;
  if (schedule === null || !isBackupDue(schedule, await recordsUntilNow(system), system.clock.now())) return;
  await alone(system, async () => {
    // Another process may have made it in the meantime.
    if (!isBackupDue(schedule, await recordsUntilNow(system), system.clock.now())) return;
    try {
      const { name, bytes } = await makeBackup(system, { ...silently, ...(signal && { signal }) });
      system.log.info({ backup: name, bytes }, 'backup made');
      await deleteOldFailures(system);
    } catch (error) {
      if (!signal?.aborted) system.log.error({ err: error }, 'the backup failed; it is tried again in 15 minutes');
    }
  });
}

/** Verifies the newest backup if that is due and no other process works on backups. */
export async function verifyDueBackup(system: System, withSystemOf: Verifying['withSystemOf']): Promise<void> {
  const { verifySchedule } = system.config.backup;
  if (verifySchedule === null || !dueVerification(verifySchedule, await recordsUntilNow(system), system.clock.now()))
    return;
  await alone(system, async () => {
    const name = dueVerification(verifySchedule, await recordsUntilNow(system), system.clock.now());
    if (name === null) return;
    try {
      await verifyStored(system, name, { ...silently, withSystemOf });
      system.log.info({ backup: name }, 'backup verified');
    } catch (error) {
      system.log.error({ err: error, backup: name }, 'the backup cannot be restored');
    }
  });
}

/**
 * Records of the future are left out, the newest first: they were made while the clock was wrong, and would delay the
 * next backup until then.
 */
async function recordsUntilNow(system: System): Promise<BackupRecord[]> {
  const now = system.clock.now();
  return (await readRecords(system)).filter(({ started_at: startedAt }) => startedAt <= now);
}

/** The first is due at once. */
function isBackupDue(schedule: string, records: readonly BackupRecord[], now: Date): boolean {
  const [latest] = records;
  if (latest && !isGood(latest) && now.getTime() - latest.finished_at.getTime() < RETRY_MS) return false;
  return isPast(schedule, records.find(isGood)?.started_at, now);
}

/** The newest backup, if a verification is due and it was not verified yet. */
function dueVerification(schedule: string, records: readonly BackupRecord[], now: Date): string | null {
  const newest = records.find(isGood);
  if (!newest || newest.verified_at !== null) return null;
  const times = records.flatMap(({ verified_at: at }) => (at !== null && at <= now ? [at.getTime()] : []));
  const last = times.length === 0 ? undefined : new Date(Math.max(...times));
  return isPast(schedule, last, now) ? newest.name : null;
}

/** Whether a time of the schedule has passed since `last`. */
function isPast(schedule: string, last: Date | undefined, now: Date): boolean {
  if (last === undefined) return true;
  const next = new Cron(schedule, { timezone: 'UTC' }).nextRun(last);
  return next !== null && next <= now;
}

import { repeat } from '#platform/repeating.ts';
import type { System } from '#platform/system.ts';
import { alone, makeBackup } from './backups.ts';
import { deleteOldFailures } from './records.ts';
import { type BackupState, backupState } from './state.ts';
import { nextTime } from './times.ts';
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
  if (schedule === null || !isBackupDue(schedule, await backupState(system), system.clock.now())) return;
  await alone(system, async () => {
    // Another process may have made it in the meantime.
    if (!isBackupDue(schedule, await backupState(system), system.clock.now())) return;
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
  if (verifySchedule === null || !dueVerification(verifySchedule, await backupState(system), system.clock.now()))
    return;
  await alone(system, async () => {
    const name = dueVerification(verifySchedule, await backupState(system), system.clock.now());
    if (name === null) return;
    try {
      await verifyStored(system, name, { ...silently, withSystemOf });
      system.log.info({ backup: name }, 'backup verified');
    } catch (error) {
      system.log.error({ err: error, backup: name }, 'the backup cannot be restored');
    }
  });
}

/** The first is due at once. */
function isBackupDue(schedule: string, { newest, failures }: BackupState, now: Date): boolean {
  const [failure] = failures;
  if (failure && now.getTime() - failure.finished_at.getTime() < RETRY_MS) return false;
  return isPast(schedule, newest?.started_at, now);
}

/** The newest backup, if a verification is due and it was not verified yet. */
function dueVerification(schedule: string, { newest, verified }: BackupState, now: Date): string | null {
  if (!newest || newest.verified_at !== null) return null;
  return isPast(schedule, verified?.verified_at ?? undefined, now) ? newest.name : null;
}

/** Whether a time of the schedule has passed since `last`. */
function isPast(schedule: string, last: Date | undefined, now: Date): boolean {
  if (last === undefined) return true;
  const next = nextTime(schedule, last);
  return next !== null && next <= now;
}

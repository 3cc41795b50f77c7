import { backupState, configuredPlace } from '#backups';
import { withSystem } from '#hosts';
import type { Config } from '#platform/config.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import type { Finding } from './doctor.ts';
import { explain } from './explain.ts';

const LATE_MS = 3_600_000;
const check = 'backups';

/** Whether scheduled backups are made, can be restored as far as is known, and have a place. */
export async function checkBackups(databaseUrl: string, config: Config): Promise<Finding[]> {
  const { to, schedule } = config.backup;
  if (to === null) return [{ check, state: 'ok', found: 'not configured here (LATCHKEY_BACKUP_TO)' }];
  const options = { config, databaseUrl, secrets: loadSecrets(config), log: createLog(config) };
  const { newest, dueSince, failures, verified } = await withSystem(options, backupState);
  const made = newest ? `the newest is of ${newest.started_at.toISOString()}, ${newest.bytes} bytes` : 'none yet';
  const [failure] = failures;
  const late = dueSince !== null && Date.now() - dueSince.getTime() > LATE_MS;
  const findings: Finding[] = [
    late
      ? {
          check,
          state: 'failed',
          found: `${made}; due since ${dueSince.toISOString()}${failure ? `, and failing: ${failure.error}` : ''}`,
          remedy: 'Mend the cause, or see whether a process with the role worker has these settings and runs.',
        }
      : { check, state: 'ok', found: `${made}${schedule === null ? '; no schedule' : ''}` },
  ];
  if (verified?.verify_error)
    findings.push({
      check,
      state: 'failed',
      found: `${verified.name} cannot be restored: ${verified.verify_error}`,
      remedy: 'Make a new one (latchkey backup) and verify it: latchkey restore newest --stored --verify',
    });
  return [...findings, ...(await checkPlace(config))];
}

async function checkPlace(config: Config): Promise<Finding[]> {
  try {
    await configuredPlace({ config }).list();
    return [];
  } catch (error) {
    const remedy = 'Correct LATCHKEY_BACKUP_TO, or let the network and the rights of its key through.';
    return [
      { check, state: 'failed', found: `their place cannot be listed: ${explain(error).split('\n')[0]}`, remedy },
    ];
  }
}

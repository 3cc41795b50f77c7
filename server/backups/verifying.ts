import type { System } from '#platform/system.ts';
import { configuredPlace } from './backups.ts';
import { recordVerification } from './records.ts';
import { type Restoring, restoreBackup } from './restoring.ts';

export type Verifying = Pick<Restoring, 'say' | 'showProgress' | 'withSystemOf'>;

/**
 * Verifies a backup of the configured place, and records the result.
 * @throws StartError if it can't be restored
 */
export async function verifyStored(system: System, name: string, verifying: Verifying): Promise<void> {
  const { keyring, config, databaseUrl } = system;
  try {
    const source = configuredPlace(system).open(name);
    await restoreBackup(databaseUrl, { ...verifying, name, source, keys: config.backup.keys, keyring, verify: true });
    await recordVerification(system, name, null);
  } catch (error) {
    await recordVerification(system, name, error);
    throw error;
  }
}

import { listKeys, rotateKeysNow } from '#keys';
import { removeEveryRecord } from '#oidc';
import { endEveryOperatorSession } from '#operators';
import { environments, installationScope, systemCtx, transaction } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { endEverySession } from '#sessions';
import { failing } from './failing.ts';
import { type Overrides, withInstallation } from './installation.ts';

/** Ends every session of customers and operators, and retires the signing keys, which ends every access token. */
export async function endAllSessions(overrides: Overrides, { json }: { json?: true }): Promise<void> {
  await failing(overrides, async () => {
    const ended = await withInstallation(overrides, endEverything);
    process.stdout.write(
      json ? `${JSON.stringify({ ended }, null, 2)}\n` : `${ended} sessions ended, and all signing keys replaced.\n`,
    );
  });
}

async function endEverything(system: System): Promise<number> {
  const ended = await transaction(
    systemCtx(system, installationScope('production'), 'sessions', 'sessions'),
    async (tx) => {
      await removeEveryRecord(tx, 'ended_by_operator');
      await endEveryOperatorSession(tx);
      return endEverySession(tx);
    },
  );
  // Last, so that tokens issued in the meantime end too.
  const ids = (await listKeys(system)).map(({ id }) => id);
  await Promise.all(environments.map((environment) => rotateKeysNow(system, environment, ids)));
  return ended;
}

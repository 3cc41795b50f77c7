import { type KeySummary, listKeys, rotateKeys } from '#keys';
import { environments } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { failing } from './failing.ts';
import { type Overrides, withInstallation } from './installation.ts';
import { printTable } from './table.ts';

type Output = { json?: true };

/** Lists the signing keys of both environments. */
export async function listSigningKeys(overrides: Overrides, output: Output): Promise<void> {
  await failing(() => withInstallation(overrides, (system) => print(system, output)));
}

/** Publishes new signing keys ahead of time, then lists all. */
export async function rotateSigningKeys(overrides: Overrides, output: Output): Promise<void> {
  await failing(async () => {
    await withInstallation(overrides, (system) =>
      Promise.all(environments.map((environment) => rotateKeys(system, environment))),
    );
    await withInstallation(overrides, (system) => print(system, output));
  });
}

async function print(system: System, { json }: Output): Promise<void> {
  const now = system.clock.now();
  if (json) {
    const keys = (await listKeys(system)).map((key) => ({ ...key, state: stateOf(key, now) }));
    process.stdout.write(`${JSON.stringify({ keys }, null, 2)}\n`);
    return;
  }
  const rows = (await listKeys(system)).map((key) => [
    key.environment,
    key.algorithm,
    key.id,
    stateOf(key, now),
    key.signsFrom.toISOString(),
    key.retiresAt?.toISOString() ?? '',
  ]);
  printTable(['environment', 'algorithm', 'id', 'state', 'signs from', 'published until'], rows);
}

function stateOf({ signsFrom, retiresAt }: KeySummary, now: Date): string {
  if (signsFrom > now) return 'published ahead';
  return retiresAt === null ? 'signs' : 'signs until the next, then checks';
}

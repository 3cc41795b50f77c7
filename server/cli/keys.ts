import { listKeys, rotateKeys, rotateKeysNow } from '#keys';
import { environments } from '#platform/ctx.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { failing } from './failing.ts';
import { type Overrides, withInstallation } from './installation.ts';
import { printTable } from './table.ts';

type Output = { json?: true };

/** Lists the signing keys of both environments. */
export async function listSigningKeys(overrides: Overrides, output: Output): Promise<void> {
  await failing(overrides, () => withInstallation(overrides, (system) => print(system, output)));
}

type Rotation = Output & { now?: true; retire?: string[] };

/** Publishes new signing keys, which sign later or at once, then lists all keys. */
export async function rotateSigningKeys(
  overrides: Overrides,
  { now, retire = [], ...output }: Rotation,
): Promise<void> {
  await failing(overrides, async () => {
    if (retire.length > 0 && !now)
      throw new StartError('--retire ends keys at once, so new ones must sign at once: add --now.');
    await withInstallation(overrides, async (system) => {
      await requireListed(system, retire);
      await Promise.all(
        environments.map((environment) =>
          now ? rotateKeysNow(system, environment, retire) : rotateKeys(system, environment),
        ),
      );
    });
    await withInstallation(overrides, (system) => print(system, output));
  });
}

/** @throws StartError if an id is not that of a published key */
async function requireListed(system: System, ids: readonly string[]): Promise<void> {
  const listed = new Set((await listKeys(system)).map(({ id }) => id));
  const unknown = ids.filter((id) => !listed.has(id));
  if (unknown.length > 0)
    throw new StartError(`There is no published key ${unknown.join(', ')}; "latchkey keys list" shows the keys.`);
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

function stateOf({ signsFrom, retiresAt }: { signsFrom: Date; retiresAt: Date | null }, now: Date): string {
  if (signsFrom > now) return 'published ahead';
  return retiresAt === null ? 'signs' : 'signs until the next key does, then verifies';
}

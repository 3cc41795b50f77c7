import { withSystem } from '#hosts';
import { type KeySummary, listKeys, rotateKeys } from '#keys';
import { loadConfig } from '#platform/config.ts';
import { environments } from '#platform/ctx.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import type { System } from '#platform/system.ts';
import { openDatabase } from './database.ts';
import { failing } from './failing.ts';

/** Lists the signing keys, or publishes new ones ahead of time. @param verb `list` or `rotate` */
export async function keys(overrides: Record<string, string | undefined>, verb: 'list' | 'rotate'): Promise<void> {
  await failing(async () => {
    const config = loadConfig(undefined, overrides);
    const database = await openDatabase(config, (line) => process.stderr.write(`${line}\n`));
    const options = { config, databaseUrl: database.url, secrets: loadSecrets(config), log: createLog(config) };
    try {
      await withSystem(options, verb === 'rotate' ? rotateAll : async () => undefined);
      await withSystem(options, print);
    } finally {
      await database.stop();
    }
  });
}

async function rotateAll(system: System): Promise<void> {
  await Promise.all(environments.map((environment) => rotateKeys(system, environment)));
}

async function print(system: System): Promise<void> {
  const now = system.clock.now();
  const rows = (await listKeys(system)).map((key) => [
    key.environment,
    key.algorithm,
    key.id,
    stateOf(key, now),
    key.signsFrom.toISOString(),
    key.retiresAt?.toISOString() ?? '',
  ]);
  const table = [['environment', 'algorithm', 'id', 'state', 'signs from', 'published until'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

function stateOf({ signsFrom, retiresAt }: KeySummary, now: Date): string {
  if (signsFrom > now) return 'published ahead';
  return retiresAt === null ? 'signs' : 'signs until the next, then checks';
}

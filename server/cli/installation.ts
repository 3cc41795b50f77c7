import { withSystem } from '#hosts';
import { openDataKeys } from '#keys';
import { type Config, loadConfig } from '#platform/config.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import type { System } from '#platform/system.ts';
import { announcerFor } from './announcer.ts';
import { joinDatabase } from './database.ts';

/** Settings from the command line, which take precedence over the environment. */
export type Overrides = Record<string, string | undefined>;

/**
 * Works on the installation's data without serving requests. Prints progress to standard error.
 * @throws StartError
 */
export async function withInstallation<T>(overrides: Overrides, work: (system: System) => Promise<T>): Promise<T> {
  return withDatabase(overrides, ({ config, databaseUrl }) =>
    withSystem({ config, databaseUrl, secrets: loadSecrets(config), log: createLog(config) }, async (system) => {
      await openDataKeys(system);
      return work(system);
    }),
  );
}

/**
 * Works on the installation's database without migrating it.
 * @throws StartError
 */
export async function withDatabase<T>(
  overrides: Overrides,
  work: (opened: { config: Config; databaseUrl: string }) => Promise<T>,
): Promise<T> {
  const config = loadConfig(undefined, overrides);
  const database = await joinDatabase(config, announcerFor(overrides).say);
  try {
    return await work({ config, databaseUrl: database.url });
  } finally {
    await database.stop();
  }
}

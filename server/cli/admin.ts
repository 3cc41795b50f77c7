import { Value } from 'typebox/value';
import { createOwner, endWithAuthSessions, setUpConsole } from '#console-api';
import { withSystem } from '#hosts';
import { Email } from '#identity';
import { endProviderSessions } from '#oidc';
import { loadConfig } from '#platform/config.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import { migrate } from '#platform/migrate.ts';
import { StartError } from '#platform/start-error.ts';
import { openDatabase } from './database.ts';
import { failing } from './failing.ts';

/** Makes somebody owner of the installation, and prints the password they have from now on. */
export async function createOwnerOf(overrides: Record<string, string | undefined>, email: string): Promise<void> {
  await failing(async () => {
    if (!Value.Check(Email, email)) throw new StartError(`"${email}" is no email address.`);
    const config = loadConfig(undefined, overrides);
    const progress = (line: string) => process.stderr.write(`${line}\n`);
    const database = await openDatabase(config, progress);
    const options = { config, databaseUrl: database.url, secrets: loadSecrets(config), log: createLog(config) };
    try {
      await migrate(database.url, progress);
      const password = await withSystem(options, async (system) => {
        endProviderSessions(system);
        endWithAuthSessions(system);
        await setUpConsole(system);
        return createOwner(system, email);
      });
      process.stdout.write(
        `${email} owns this installation.\nPassword: ${password}\nSign in at ${config.addresses.console}/console/ and change it.\n`,
      );
    } finally {
      await database.stop();
    }
  });
}

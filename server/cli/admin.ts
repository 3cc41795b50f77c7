import { withSystem } from '#hosts';
import { openDataKeys } from '#keys';
import { createOwner, setUpConsole, setUpLink } from '#operators';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import { migrate } from '#platform/migrate.ts';
import { Problem } from '#platform/problem.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { announcerFor } from './announcer.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase } from './installation.ts';

type OwnerOptions = { email?: string; json?: true };

/** How the owner gets in: the set-up link for the first owner, or the address and new password of an owner. */
type OwnerAccess = { setUpLink: string } | { email: string; password: string; signInUrl: string };

/**
 * Prints the set-up link for the first owner; with an address, makes that user an owner and prints their new password.
 */
export async function createOwnerOf(overrides: Overrides, { email, json }: OwnerOptions): Promise<void> {
  await failing(overrides, async () => {
    const access = await withConsole(overrides, (system) =>
      email === undefined ? firstOwnerAccess(system) : ownerAccess(system, email),
    );
    process.stdout.write(json ? `${JSON.stringify(access, null, 2)}\n` : describe(access));
  });
}

/** Works on an installation that may never have been started, also while it runs. */
function withConsole<T>(overrides: Overrides, work: (system: System) => Promise<T>): Promise<T> {
  return withDatabase(overrides, async ({ config, databaseUrl }) => {
    await migrate(databaseUrl, announcerFor(overrides).say);
    return withSystem({ config, databaseUrl, secrets: loadSecrets(config), log: createLog(config) }, async (system) => {
      await openDataKeys(system);
      await setUpConsole(system);
      return work(system);
    });
  });
}

/** @throws StartError if there is an owner */
async function firstOwnerAccess(system: System): Promise<OwnerAccess> {
  const link = await setUpLink(system);
  if (link === null)
    throw new StartError(
      'This installation has an owner. Use --email to add another owner, or to give an owner a new password.',
    );
  return { setUpLink: link };
}

async function ownerAccess(system: System, email: string): Promise<OwnerAccess> {
  const password = await createOwner(system, email).catch((error: unknown) => {
    // A known user keeps the stored address; only the address of a new owner is validated.
    if (error instanceof Problem && error.code === 'VALIDATION_FAILED')
      throw new StartError(`"${email}" is not an email address.`);
    throw error;
  });
  return { email, password, signInUrl: `${system.config.addresses.console}/console/` };
}

function describe(access: OwnerAccess): string {
  return 'setUpLink' in access
    ? `Open this link to become the owner of this installation. It works until there is an owner:\n${access.setUpLink}\n`
    : `${access.email} owns this installation.\nPassword: ${access.password}\nSign in at ${access.signInUrl} and change it.\n`;
}

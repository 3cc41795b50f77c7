import { findBackup, type Manifest, restoreBackup } from '#backups';
import { withSystem } from '#hosts';
import { loadSecrets } from '#platform/data-dir.ts';
import { Keyring } from '#platform/keyring.ts';
import { createLog } from '#platform/log.ts';
import { announcerFor } from './announcer.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase } from './installation.ts';
import { progressFor } from './progress.ts';

type Options = { stored?: true; verify?: true; json?: true };

/**
 * Restores a backup into an empty database, in one transaction, and migrates it to this version. `verify` does so in a
 * temporary database, which proves that the backup is complete and that the configured secret decrypts it.
 * @param named a file; with `stored`, a backup at the configured place, or `newest`
 */
export async function restore(overrides: Overrides, named: string, { stored, verify, json }: Options): Promise<void> {
  await failing(overrides, () =>
    withDatabase(overrides, async ({ config, databaseUrl }) => {
      const { name, source } = await findBackup({ config }, { named, stored: stored === true });
      const secrets = loadSecrets(config);
      const log = createLog(config);
      const manifest = await restoreBackup(databaseUrl, {
        name,
        source,
        keys: config.backup.keys,
        keyring: new Keyring(secrets, []),
        verify: verify === true,
        say: announcerFor(overrides).say,
        showProgress: progressFor(overrides),
        withSystemOf: (url, work) => withSystem({ config, databaseUrl: url, secrets, log }, work),
      });
      tell(name, manifest, { verify: verify === true, json: json === true });
    }),
  );
}

/** A backup does not know what ended after it. */
const SESSIONS = `
Sessions and refresh tokens that were valid at that time are valid again, also those that have ended since.
After an incident, end them all before you serve: latchkey sessions end-all --yes`;

function tell(name: string, manifest: Manifest, { verify, json }: { verify: boolean; json: boolean }): void {
  const { tables, createdAt, schema } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const done = verify
    ? `can be restored, and its secrets can be opened: ${rows} rows of ${tables.length} tables.`
    : `is restored: ${rows} rows of ${tables.length} tables.${SESSIONS}`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ file: name, verified: verify, restored: !verify, createdAt, schema, rows }, null, 2)}\n`
      : `${name} of ${createdAt} ${done}\n`,
  );
}

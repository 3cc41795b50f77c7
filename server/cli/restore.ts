import { checkSecrets, inScratchDatabase, openArchive, restoreInto } from '#backups';
import { withSystem } from '#hosts';
import { loadSecrets } from '#platform/data-dir.ts';
import { Keyring } from '#platform/keyring.ts';
import { createLog } from '#platform/log.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase } from './installation.ts';
import { showProgress } from './progress.ts';

type Options = { verify?: true; json?: true };

/**
 * Restores a backup into an empty database, in one transaction, and migrates it to this version. `verify` does so in a
 * temporary database, which proves that the backup is complete and that the configured secret decrypts it.
 */
export async function restore(overrides: Overrides, file: string, { verify, json }: Options): Promise<void> {
  await failing(() =>
    withDatabase(overrides, async ({ config, databaseUrl }) => {
      const archive = await openArchive(file);
      const secrets = loadSecrets(config);
      checkSecrets(archive.manifest, new Keyring(secrets));
      const log = createLog(config);
      const into = (url: string) =>
        restoreInto(url, archive, {
          say: (line) => process.stderr.write(`${line}\n`),
          showProgress,
          withSystem: (work) => withSystem({ config, databaseUrl: url, secrets, log }, work),
        });
      if (verify) await inScratchDatabase(databaseUrl, into);
      else await into(databaseUrl);
      const { tables, createdAt, schema } = archive.manifest;
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      const done = verify ? 'can be restored, and its secrets can be opened' : 'is restored';
      process.stdout.write(
        json
          ? `${JSON.stringify({ file, verified: verify === true, restored: !verify, createdAt, schema, rows }, null, 2)}\n`
          : `${file} of ${createdAt} ${done}: ${rows} rows of ${tables.length} tables.\n`,
      );
    }),
  );
}

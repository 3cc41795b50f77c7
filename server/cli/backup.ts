import { access } from 'node:fs/promises';
import { type Manifest, writeBackup } from '#backups';
import { loadSecrets } from '#platform/data-dir.ts';
import { Keyring } from '#platform/keyring.ts';
import { StartError } from '#platform/start-error.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase } from './installation.ts';
import { showProgress } from './progress.ts';

/**
 * Writes a consistent snapshot of the database to one ZIP file, also while Latchkey runs. The file is created
 * atomically. It contains no secrets of the configuration.
 */
export async function backup(
  overrides: Overrides,
  file: string,
  { json, version }: { json?: true; version: string },
): Promise<void> {
  await failing(() =>
    withDatabase(overrides, async ({ config, databaseUrl }) => {
      if (await exists(file)) throw new StartError(`${file} exists already. Name a new file.`);
      const { secretIds } = new Keyring(loadSecrets(config));
      const origin = { latchkey: version, secretIds: [...secretIds] };
      const written = await writeBackup(databaseUrl, file, { origin, showProgress });
      process.stdout.write(json ? `${JSON.stringify(written, null, 2)}\n` : summary(file, written));
    }),
  );
}

function summary(file: string, { tables, schema }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${file}: ${rows} rows of ${tables.length} tables, schema ${schema}.
It needs the same LATCHKEY_SECRET (without DATABASE_URL: the file "secret" of the data folder) to be of use. Keep that elsewhere.
Prove that it can be restored: latchkey restore ${file} --verify
`;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { configuredPlace, type Manifest, makeBackupAlone, newBackupKey, storeFile, writeBackup } from '#backups';
import { loadConfig } from '#platform/config.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { Keyring } from '#platform/keyring.ts';
import { StartError } from '#platform/start-error.ts';
import { VERSION } from '#platform/version.ts';
import { failing } from './failing.ts';
import { type Overrides, withDatabase, withInstallation } from './installation.ts';
import { progressFor } from './progress.ts';

type Options = { json?: true };

/**
 * Writes a consistent snapshot of the database, also while Latchkey runs: to a file, to standard output (`-`), or to
 * the configured place.
 */
export async function backup(overrides: Overrides, file: string | undefined, options: Options): Promise<void> {
  await failing(overrides, () => (file === undefined ? toPlace(overrides, options) : toFile(overrides, file, options)));
}

async function toFile(overrides: Overrides, file: string, options: Options): Promise<void> {
  const standardOutput = file === '-';
  if (!standardOutput && (await exists(file))) throw new StartError(`${file} exists already. Name a new file.`);
  await withDatabase(overrides, async ({ config, databaseUrl }) => {
    const written = await writeBackup(databaseUrl, {
      latchkey: VERSION,
      secretIds: new Keyring(loadSecrets(config), []).secretIds,
      key: config.backup.keys[0] ?? null,
      showProgress: progressFor(overrides),
      store: (content) =>
        standardOutput ? pipeline(content, process.stdout, { end: false }) : storeFile(resolve(file), content),
    });
    if (!standardOutput) tell(file, written, { ...options, proof: file });
  });
}

async function toPlace(overrides: Overrides, options: Options): Promise<void> {
  await withInstallation(overrides, async (system) => {
    const made = await makeBackupAlone(system, { showProgress: progressFor(overrides) });
    if (made === null) throw new StartError('Another process works on a backup. Try again when it is done.');
    tell(made.name, made, { ...options, proof: `${made.name} --stored` });
  });
}

function tell(name: string, written: Manifest & { bytes: number }, { json, proof }: Options & { proof: string }): void {
  const { tables, schema, bytes } = written;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  process.stdout.write(
    json
      ? `${JSON.stringify({ name, ...written }, null, 2)}\n`
      : `${name}: ${rows} rows of ${tables.length} tables, schema ${schema}, ${bytes} bytes.
It needs the same LATCHKEY_SECRET (without DATABASE_URL: the file "secret" of the data folder) to be of use. Keep that elsewhere.
Prove that it can be restored: latchkey restore ${proof} --verify
`,
  );
}

/** Prints the names of the backups at the configured place, the newest last. Needs no database. */
export async function listBackups(overrides: Overrides, { json }: Options): Promise<void> {
  await failing(overrides, async () => {
    const names = await configuredPlace({ config: loadConfig(undefined, overrides) }).list();
    process.stdout.write(json ? `${JSON.stringify(names, null, 2)}\n` : names.map((name) => `${name}\n`).join(''));
  });
}

/** Prints a new key for backups, in the format of `age-keygen`. */
export async function printBackupKey(): Promise<void> {
  const { secret, shared } = await newBackupKey();
  process.stdout.write(`# public key: ${shared}\n${secret}\n`);
}

/** Whether there is a file. */
export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

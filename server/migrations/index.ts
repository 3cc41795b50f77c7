import { readdir } from 'node:fs/promises';

export { examine, type Lock } from './statements.ts';

export type Migration = {
  id: number;
  name: string;
  up: string;
  /**
   * The schema that a version must know to run after this migration, if it contracts: it removes something that an earlier
   * version uses. Null if it expands: every version that ran before it runs after it.
   */
  compatibleSince: number | null;
};

/** Beside the sources, or beside the JavaScript of a release. */
const FILE = /^(?<id>\d{4})-(?<name>[a-z0-9-]+)\.[jt]s$/;

/** Every migration in order: the files of this folder, named by number and name. */
export async function readMigrations(): Promise<Migration[]> {
  const files = await readdir(import.meta.dirname);
  const found = files.flatMap((file) => {
    const { id, name } = FILE.exec(file)?.groups ?? {};
    return id !== undefined && name !== undefined ? [{ file, id: Number(id), name }] : [];
  });
  const migrations = await Promise.all(
    found.map(async ({ file, id, name }) => {
      const { up, compatibleSince }: { up: string; compatibleSince?: number } = await import(`./${file}`);
      return { id, name, up, compatibleSince: compatibleSince ?? null };
    }),
  );
  return migrations.sort((a, b) => a.id - b.id);
}

import { readdir } from 'node:fs/promises';

export type Migration = { id: number; name: string; up: string };

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
      const { up }: { up: string } = await import(`./${file}`);
      return { id, name, up };
    }),
  );
  return migrations.sort((a, b) => a.id - b.id);
}

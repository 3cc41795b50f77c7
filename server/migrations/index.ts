import { readdir } from 'node:fs/promises';

export { DIVIDED_SINCE, FUNCTIONS_OF_DIVIDED, LAYOUT, REUNITED, UNDIVIDED } from './layout.ts';
export { examine, type Lock } from './statements.ts';

/** A change of all rows of a large table. The worker makes it in small steps, while Latchkey serves. */
export type Backfill = {
  table: string;
  /** The assignments of its UPDATE, such as `folded = lower(nickname)`. A repeated assignment must change nothing. */
  set: string;
  /** The rows that need the assignments, such as `folded is null`. */
  where: string;
};

export type Migration = {
  id: number;
  name: string;
  up: string;
  /**
   * The schema that a version must know to run after this migration, if it contracts: it removes something that an earlier
   * version uses. Null if it expands: every version that ran before it runs after it.
   */
  compatibleSince: number | null;
  /**
   * Its statements run one by one outside of a transaction, and again after an interruption: they create and drop indexes
   * concurrently.
   */
  concurrently: boolean;
  /** A column for the rows that earlier versions write while the backfill runs needs a trigger. */
  backfill: Backfill | null;
};

type MigrationFile = Partial<Migration> & Pick<Migration, 'up'>;

/** Beside the sources, or beside the JavaScript of a release. */
const FILE = /^(?<id>\d{4})-(?<name>[a-z0-9-]+)\.[jt]s$/;

/** The numbers and names of all migrations in order: the files of this folder. */
export async function listMigrations(): Promise<{ file: string; id: number; name: string }[]> {
  const files = await readdir(import.meta.dirname);
  const found = files.flatMap((file) => {
    const { id, name } = FILE.exec(file)?.groups ?? {};
    return id !== undefined && name !== undefined ? [{ file, id: Number(id), name }] : [];
  });
  return found.sort((a, b) => a.id - b.id);
}

/** Every migration in order. */
export async function readMigrations(): Promise<Migration[]> {
  return Promise.all(
    (await listMigrations()).map(async ({ file, id, name }) => {
      const { up, compatibleSince, concurrently, backfill }: MigrationFile = await import(
        new URL(file, import.meta.url).href
      );
      return {
        id,
        name,
        up,
        compatibleSince: compatibleSince ?? null,
        concurrently: concurrently ?? false,
        backfill: backfill ?? null,
      };
    }),
  );
}

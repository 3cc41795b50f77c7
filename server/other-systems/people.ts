import { stat } from 'node:fs/promises';
import { StartError } from '#platform/start-error.ts';
import type { Fields } from './fields.ts';
import { kinds } from './kinds.ts';
import type { Kind, Mapped } from './other-person.ts';
import { headOf, recordsIn } from './records.ts';

/** Files of settings are small. */
const MAX_SETTINGS_BYTES = 65_536;

/** The files of another system, ready to be read as often as needed. */
export type Source = {
  kind: Kind;
  /** Of all files with people. */
  bytes: number;
  /** Every record that stands for a person, one at a time. */
  people: (progress: (bytes: number) => void) => AsyncGenerator<Mapped>;
};

/**
 * Opens the files of another system. Reads all of them once if some of their records add to others; memory holds these.
 * @throws StartError for an unknown system, or if no file has people
 */
export async function openSource(system: string, files: readonly string[]): Promise<Source> {
  const kind = kinds.get(system);
  if (!kind) throw new StartError(`There is no system "${system}"; expected ${[...kinds.keys()].join(', ')}.`);
  const { settings, paths, bytes } = await sorted(kind, files);
  if (paths.length === 0) throw new StartError('None of the files has people.');
  const beside = await besideIn(kind, paths);
  return { kind, bytes, people: (progress) => peopleIn(kind, paths, { beside, settings, progress }) };
}

type Known = { beside: ReadonlyMap<string, Fields[]>; settings: Fields; progress: (bytes: number) => void };

async function* peopleIn(
  kind: Kind,
  paths: readonly string[],
  { beside, settings, progress }: Known,
): AsyncGenerator<Mapped> {
  for (const path of paths) {
    // biome-ignore lint/performance/noAwaitInLoops: one file after the other
    for await (const record of recordsIn(path, { container: kind.container, progress })) {
      if (kind.beside?.(record)) continue;
      const id = kind.idOf?.(record);
      yield kind.map(record, { records: (id !== undefined && beside.get(id)) || [], settings });
    }
  }
}

/** Tells files of settings from those with records. */
async function sorted(kind: Kind, files: readonly string[]) {
  const read = await Promise.all(
    files.map(async (path) => {
      const { size } = await stat(path);
      const settings = size > MAX_SETTINGS_BYTES ? null : (kind.settings?.(await headOf(path)) ?? null);
      return { path, size, settings };
    }),
  );
  const records = read.filter(({ settings }) => settings === null);
  return {
    settings: Object.assign({}, ...read.map(({ settings }) => settings ?? {})),
    paths: records.map(({ path }) => path),
    bytes: records.reduce((sum, { size }) => sum + size, 0),
  };
}

/** The records that add to those of people, by the id of the person. */
async function besideIn(kind: Kind, paths: readonly string[]): Promise<Map<string, Fields[]>> {
  const found = new Map<string, Fields[]>();
  if (!kind.beside) return found;
  for (const path of paths) {
    // biome-ignore lint/performance/noAwaitInLoops: one file after the other
    for await (const record of recordsIn(path, { container: kind.container, progress: () => undefined })) {
      const adds = kind.beside(record);
      if (adds) found.set(adds.of, [...(found.get(adds.of) ?? []), adds.record]);
    }
  }
  return found;
}

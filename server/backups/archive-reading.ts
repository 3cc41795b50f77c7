import { text } from 'node:stream/consumers';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { StartError } from '#platform/start-error.ts';
import { MANIFEST } from './archive.ts';
import { decrypted } from './encryption.ts';
import { type Source, SourceReader, withTail } from './source.ts';

/** An opened archive: a backup, or the file of a workspace. */
export type Archive<Content> = { zip: ZipFile; entries: Map<string, Entry>; manifest: Content };

type Opening<Schema extends TSchema> = {
  name: string;
  source: Promise<Source>;
  keys: readonly string[];
  schema: Schema;
  /** What it should be, with its article. */
  what: string;
};

/**
 * Opens an archive, and decrypts it if it is encrypted.
 * @throws StartError if it is not what it should be, or if none of the keys decrypts it
 */
export async function openArchive<Schema extends TSchema>({
  name,
  source,
  keys,
  schema,
  what,
}: Opening<Schema>): Promise<Archive<Static<Schema>>> {
  try {
    const plain = await withTail(await decrypted(await source, keys));
    const zip = await fromRandomAccessReaderPromise(new SourceReader(plain), plain.size, { autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const found = entries.get(MANIFEST);
    if (!found) throw new Error(`it has no ${MANIFEST}`);
    const manifest = Value.Parse(schema, JSON.parse(await text(await zip.openReadStreamPromise(found))));
    return { zip, entries, manifest };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`${name} is not ${what} that this Latchkey can read: ${reason}.`);
  }
}

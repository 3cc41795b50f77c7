import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kind, Refused } from './kind.ts';
import { kinds } from './kinds.ts';
import { isValues, mappedStrings, type Plain, type Values } from './plain.ts';
import { type Live, type LiveKind, readKind, type World } from './records.ts';
import { schemaText } from './schemas.ts';
import { escaped, REDACTED, referenceFor } from './secrets.ts';

export type Exported = { files: string[]; left: { kind: string; reason: string }[] };

/** Where schemas lie in the folder, for editors. */
const SCHEMAS = '.schema';

/**
 * Writes the files of a project environment. Files of kinds that the client may not read are left alone.
 * @throws Refused
 */
export async function exportFolder(world: World, folder: string, only: readonly Kind[] = kinds): Promise<Exported> {
  const exported: Exported = { files: [], left: [] };
  await mkdir(join(folder, SCHEMAS), { recursive: true });
  const present = await readdir(folder);
  for (const kind of only) {
    if (present.includes(kind.name)) {
      exported.left.push({ kind: kind.name, reason: `the folder ${kind.name} has files of your own` });
      continue;
    }
    // biome-ignore lint/performance/noAwaitInLoops: kinds are read one after the other, to stay within rate limits
    const read = await readKind(world, kind).catch((error: unknown) => {
      if (error instanceof Refused && (error.status === 403 || error.status === 404)) return error;
      throw error;
    });
    if (read instanceof Refused) {
      exported.left.push({ kind: kind.name, reason: read.message });
      continue;
    }
    if (kind.key.length === 0 && read.records.length === 0) {
      exported.left.push({ kind: kind.name, reason: 'the default project has the page of the installation' });
      continue;
    }
    const file = `${kind.name}.yaml`;
    await writeFile(join(folder, file), await textOf(read));
    await writeFile(join(folder, SCHEMAS, `${kind.name}.json`), schemaText(kind));
    exported.files.push(file);
  }
  return exported;
}

/** A kind's file. The same records always give the same text. */
async function textOf({ kind, records, shared }: LiveKind): Promise<string> {
  const { stringify } = await import('yaml');
  const comments = [
    `yaml-language-server: $schema=${SCHEMAS}/${kind.name}.json`,
    ...[kind.title, kind.comment].filter((text) => text !== undefined),
    ...[...shared].sort().map((key) => `Not listed: several records are named ${JSON.stringify(key)}.`),
  ];
  const written = records.filter(({ key }) => !shared.has(key)).map((live) => writtenOf(kind, live));
  const content = kind.key.length === 0 ? (written[0] ?? {}) : written;
  const head = comments.map((text) => `# ${text}\n`).join('');
  return `${head}\n${stringify(content, { compat: 'yaml-1.1', lineWidth: 0, version: '1.2' })}`;
}

/** A record as a file has it: in clear, except for credentials. */
export function writtenOf(kind: Kind, { key, fields, record }: Live): Values {
  const ordered = (name: string) => kind.ordered?.includes(name) === true;
  const clear = Object.entries(fields).map(([name, value]): [string, Plain] => [
    name,
    ordered(name) ? value : sortedTexts(value),
  ]);
  const secrets = (kind.secrets ?? [])
    .filter(({ set }) => record[set] === true)
    .map(({ field }): [string, Plain] => [field, referenceFor(kind, key, field)]);
  const texts = mappedStrings(Object.fromEntries(clear), (text, path) => {
    const credential = text === REDACTED && kind.redacts?.includes(path[0] ?? '') === true;
    return credential ? referenceFor(kind, key, path.at(-1) ?? '') : escaped(text);
  });
  return { ...(isValues(texts) ? texts : {}), ...Object.fromEntries(secrets) };
}

/** Lists of texts in an order that does not depend on the database. */
function sortedTexts(value: Plain): Plain {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return value;
  return [...value].sort();
}

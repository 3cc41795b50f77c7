import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Document, Node } from 'yaml';
import { StartError } from '#platform/start-error.ts';
import type { Kind } from './kind.ts';
import { keyOf, kinds } from './kinds.ts';
import { isValues, mappedStrings, type Plain, type Values } from './plain.ts';
import { faultsOf } from './schemas.ts';
import { isReference, isSecret, MissingValue, refers, type Sources, withValues } from './secrets.ts';

const require = createRequire(import.meta.url);

/** Loaded at first use. */
const yamlLibrary = (): typeof import('yaml') => require('yaml');

/** A record as the files want it. */
export type Wanted = {
  key: string;
  /** With the values of references; those of secrets stay references. */
  fields: Values;
  /** As it is written. */
  written: Values;
  /** `roles.yaml:12` */
  place: string;
};

/** What the files say about one kind. */
export type WantedKind = { kind: Kind; records: Wanted[] };

/** The faults of the files, each as `FILE:LINE what`. */
class FolderError extends StartError {
  override readonly name = 'FolderError';

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

const MAX_FILE_BYTES = 5_000_000;
const MAX_DEPTH = 50;
const IGNORED = /^(\.|README)/i;

type Found = { value: Plain; at: (path: readonly (string | number)[]) => string };

/**
 * Reads a folder: one file for each kind, or a folder of that name with several. A kind without a file is left alone.
 * @throws StartError with all faults
 */
export async function readFolder(sources: Sources): Promise<WantedKind[]> {
  const faults: string[] = [];
  const files = await filesIn(sources.folder, faults);
  const read = new Map<Kind, Wanted[]>();
  for (const { kind, path } of files) {
    // biome-ignore lint/performance/noAwaitInLoops: faults are listed in the order of the files
    const found = await parsed(path, relative(sources.folder, path), faults);
    if (found) read.set(kind, [...(read.get(kind) ?? []), ...recordsIn(kind, found, { sources, faults })]);
  }
  for (const [kind, records] of read) faults.push(...repeated(kind, records));
  if (faults.length > 0) throw new FolderError(faults);
  return kinds.flatMap((kind) => {
    const records = read.get(kind);
    return records ? [{ kind, records }] : [];
  });
}

type KindFile = { kind: Kind; path: string };

async function filesIn(folder: string, faults: string[]): Promise<KindFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new FolderError([`${folder} cannot be read (${String(Object(error).code)})`]);
  });
  const named = entries.filter(({ name }) => !IGNORED.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    named.map(async (entry): Promise<KindFile[]> => {
      const kind = kinds.find(({ name }) => name === entry.name.replace(/\.ya?ml$/, ''));
      const path = join(folder, entry.name);
      const yaml = /\.ya?ml$/.test(entry.name);
      if (kind && yaml) return [{ kind, path }];
      if (kind && entry.isDirectory()) {
        const inner = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort();
        return inner.map((name) => ({ kind, path: join(path, name) }));
      }
      if (yaml) faults.push(`${entry.name}:1 is no kind; expected ${kinds.map(({ name }) => name).join(', ')}`);
      return [];
    }),
  );
  return found.flat();
}

async function parsed(path: string, name: string, faults: string[]): Promise<Found | null> {
  if ((await stat(path)).size > MAX_FILE_BYTES) {
    faults.push(`${name}:1 is larger than ${MAX_FILE_BYTES} bytes`);
    return null;
  }
  const text = await readFile(path, 'utf8');
  const { LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const lineAt = (offset: number) => `${name}:${Math.max(1, lines.linePos(offset).line)}`;
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, version: '1.2' });
    const problems = [...document.errors, ...document.warnings].map((one) => `${lineAt(one.pos[0])} ${one.message}`);
    problems.push(...refusedIn(document).map(({ offset, fault }) => `${lineAt(offset)} ${fault}`));
    faults.push(...problems);
    if (problems.length > 0) return null;
    return { value: document.toJS({ maxAliasCount: 0 }) ?? null, at: (inner) => lineAt(offsetOf(document, inner)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    faults.push(`${name}:1 is nested too deeply`);
    return null;
  }
}

/** What valid YAML may contain and these files may not: the first of it. */
function refusedIn(document: Document.Parsed): { offset: number; fault: string }[] {
  const found: { offset: number; fault: string }[] = [];
  const { isNode, visit } = yamlLibrary();
  visit(document, (_, node, path) => {
    const fault = isNode(node) ? refusal(node, path.length) : null;
    if (!isNode(node) || fault === null) return undefined;
    found.push({ offset: node.range?.[0] ?? 0, fault });
    return visit.BREAK;
  });
  return found;
}

function refusal(node: Node, depth: number): string | null {
  if (depth > MAX_DEPTH) return 'is nested too deeply';
  const { isAlias, isScalar } = yamlLibrary();
  if (isAlias(node) || node.anchor !== undefined) return 'anchors and aliases are not allowed';
  if (node.tag !== undefined) return 'tags are not allowed';
  return isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value)
    ? 'is no number of JSON'
    : null;
}

/** Where a value stands; where its nearest parent stands if it is missing. */
function offsetOf(document: Document.Parsed, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (yamlLibrary().isNode(node)) return node.range?.[0] ?? 0;
  }
  return document.contents?.range?.[0] ?? 0;
}

type Reading = { sources: Sources; faults: string[] };

function recordsIn(kind: Kind, { value, at }: Found, { sources, faults }: Reading): Wanted[] {
  const one = kind.key.length === 0 || isValues(value);
  const items = one ? [value] : Array.isArray(value) ? value : null;
  if (items === null) {
    // A file that was cut off must not remove everything.
    faults.push(`${at([])} ${value === null ? 'is empty: write [] for no records' : 'must be a list of records'}`);
    return [];
  }
  return items.flatMap((written, index) => {
    const base = one ? [] : [index];
    const record = recordOf(kind, written, { sources, at: (path) => at([...base, ...path]) });
    faults.push(...record.faults);
    return record.wanted ? [record.wanted] : [];
  });
}

type Place = { sources: Sources; at: (path: readonly (string | number)[]) => string };

/** A record as it is written, with its faults. */
export function recordOf(
  kind: Kind,
  written: Plain,
  { sources, at }: Place,
): { wanted: Wanted | null; faults: string[] } {
  if (!isValues(written)) return { wanted: null, faults: [`${at([])} must be a record with fields`] };
  const faults: string[] = [];
  const fields = mappedStrings(written, (text, path) => {
    const secret = isSecret(kind, path);
    const plainSecret = kind.secrets?.some(({ field }) => field === path[0]) && !isReference(text);
    if (plainSecret)
      faults.push(`${at(path)} ${path.join('.')} must be a reference, such as \${env:NAME} or \${file:PATH}`);
    if (secret && refers(text)) return text;
    try {
      return withValues(text, sources);
    } catch (error) {
      if (!(error instanceof MissingValue)) throw error;
      faults.push(`${at(path)} ${path.join('.')}: ${error.message}`);
      return text;
    }
  });
  if (!isValues(fields)) return { wanted: null, faults };
  if (faults.length === 0) faults.push(...faultsOf(kind, fields).map(({ path, fault }) => `${at(path)} ${fault}`));
  return { wanted: { key: keyOf(kind, fields), fields, written, place: at([]) }, faults };
}

/** Records with the same key. */
function repeated(kind: Kind, records: readonly Wanted[]): string[] {
  const first = new Map<string, string>();
  return records.flatMap(({ key, place }) => {
    const known = first.get(key);
    if (known === undefined) first.set(key, place);
    if (known === undefined) return [];
    return kind.key.length === 0
      ? [`${place} is given twice; first at ${known}`]
      : [`${place} has the ${kind.key.join(' and ')} of ${known}: ${JSON.stringify(key)}`];
  });
}

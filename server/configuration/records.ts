import type { Call, Kind, Reference, Target } from './kind.ts';
import { keyOf, namesInFiles } from './kinds.ts';
import { isValues, mappedStrings, type Plain, picked, replacedAt, type Values, valueAt } from './plain.ts';
import { REDACTED } from './secrets.ts';

/** A record of the project as the API shows it, and as files would hold it. */
export type Live = { key: string; path: string; fields: Values; record: Values };

/** The records of one kind. */
export type LiveKind = {
  kind: Kind;
  records: Live[];
  /** Keys that several records share: files cannot say which is meant. */
  shared: Set<string>;
  /** Keys of records that files leave alone. */
  foreign: Set<string>;
};

/** Reads collections, which references name, once. */
export type Directory = {
  /** @returns null if there is no such record */
  keyFor: (reference: Reference, id: string) => Promise<string | null>;
  /** @returns null if there is no such record, or more than one */
  idFor: (reference: Reference, key: string) => Promise<string | null>;
  forget: () => void;
};

/** A project environment, and what was already read of it. */
export type World = { target: Target; directory: Directory };

export function worldOf(target: Target): World {
  return { target, directory: directoryFor(target.call) };
}

/**
 * Reads all records of one kind.
 * @throws Refused
 */
export async function readKind({ target, directory }: World, kind: Kind): Promise<LiveKind> {
  const { call } = target;
  const found = kind.key.length === 0 ? [(await call('GET', kind.path)).body] : await readAll(call, kind.path);
  const all = found.filter(isValues);
  const isForeign = (record: Values) => kind.foreign?.(record) === true || isOwnClient(target, record);
  const foreign = new Set(all.filter(isForeign).map((record) => keyOf(kind, record)));
  const records: Live[] = [];
  for (const record of all.filter((one) => !isForeign(one))) {
    // biome-ignore lint/performance/noAwaitInLoops: references are read once and then known; domains are few
    const whole = kind.bound ? await withPurposes(target, record) : record;
    records.push(await liveOf(kind, whole, directory));
  }
  records.sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = records.map(({ key }) => key);
  const shared = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  return { kind, records, shared, foreign };
}

/** The client that calls would lose its own access: it is changed in the console. */
function isOwnClient({ clientId }: Target, record: Values): boolean {
  return clientId !== null && record['clientId'] === clientId && record['kind'] === 'management';
}

/** A domain with what it serves in this project environment. */
async function withPurposes({ call, projectId, environment }: Target, record: Values): Promise<Values> {
  const bindings = await readAll(call, `/v1/admin/domains/${String(record['id'])}/bindings`);
  const here = bindings.filter((one) => one['projectId'] === projectId && one['environment'] === environment);
  return { ...record, purposes: here.map((one) => String(one['purpose'])).sort() };
}

/**
 * The record as it is now.
 * @throws Refused
 */
export async function readAgain(
  { target, directory }: World,
  kind: Kind,
  path: string,
): Promise<{ live: Live; etag: string | null }> {
  const { body, etag } = await target.call('GET', path);
  const record = isValues(body) ? body : {};
  const whole = kind.bound ? await withPurposes(target, record) : record;
  return { live: await liveOf(kind, whole, directory), etag: kind.bound ? null : etag };
}

/** The records that a new status page has of a kind. Their addresses are known once there is one. */
export function recordsOfNewPage(kind: Kind): LiveKind {
  const records = (kind.onNewPage ?? []).map((fields) => ({
    key: keyOf(kind, fields),
    path: kind.key.length === 0 ? kind.path : '',
    fields,
    record: fields,
  }));
  return { kind, records, shared: new Set(), foreign: new Set() };
}

/** A record in the form of files. Redacted credentials stay as they are. */
async function liveOf(kind: Kind, record: Values, directory: Directory): Promise<Live> {
  let fields = kind.asWritten?.(record) ?? record;
  for (const reference of kind.references ?? []) {
    const id = valueAt(fields, reference.at);
    if (id === undefined) continue;
    // biome-ignore lint/performance/noAwaitInLoops: a kind has one reference at most
    const value = await keysFor(directory, reference, id);
    fields = replacedAt(fields, reference.at, { name: reference.as, value });
  }
  const left = Object.keys(kind.left ?? {}).filter((path) => path.includes('.'));
  const shown = left.reduce((known, path) => without(known, path), fields);
  // The API shows null where a record has no such object or refers to nothing, and takes only an object or an id.
  const neverNull = [...(kind.merged ?? []), ...(kind.references ?? []).map(({ as }) => as)];
  const taken = kind.takes?.(record);
  const own = Object.fromEntries(
    Object.entries(shown).filter(
      ([name, value]) => (value !== null || !neverNull.includes(name)) && taken?.includes(name) !== false,
    ),
  );
  return { key: keyOf(kind, record), path: pathOf(kind, record), fields: picked(own, namesInFiles(kind)), record };
}

/** The natural key in place of an id. A list leaves out ids of records that were removed. */
async function keysFor(directory: Directory, reference: Reference, id: Plain): Promise<Plain> {
  if (typeof id === 'string') return (await directory.keyFor(reference, id)) ?? id;
  if (!Array.isArray(id)) return null;
  const keys = await Promise.all(id.map((one) => directory.keyFor(reference, String(one))));
  return keys.filter((key) => key !== null);
}

/** The record's address. */
function pathOf({ path, id }: Kind, record: Values): string {
  return [path, ...id.map((name) => encodeURIComponent(String(record[name] ?? '')))].join('/');
}

function without(values: Values, path: string): Values {
  const [first = '', last = ''] = path.split('.');
  const inner = values[first];
  if (!isValues(inner)) return values;
  const kept = Object.entries(inner).filter(([name]) => name !== last);
  return { ...values, [first]: Object.fromEntries(kept) };
}

/** All pages of a collection. */
async function readAll(call: Call, path: string): Promise<Values[]> {
  const items: Values[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== '' && { cursor }) });
    // biome-ignore lint/performance/noAwaitInLoops: a page names the next
    const { body } = await call('GET', `${path}?${query}`);
    const page = isValues(body) ? body : {};
    const found = page['items'];
    if (Array.isArray(found)) items.push(...found.filter(isValues));
    const next = page['nextCursor'];
    cursor = typeof next === 'string' ? next : null;
  }
  return items;
}

function directoryFor(call: Call): Directory {
  const known = new Map<string, Promise<Values[]>>();
  const read = ({ of }: Reference): Promise<Values[]> => {
    const records = known.get(of) ?? readAll(call, of);
    known.set(of, records);
    return records;
  };
  return {
    keyFor: async (reference, id) => {
      const found = (await read(reference)).find((record) => record['id'] === id);
      const key = found?.[reference.by];
      return typeof key === 'string' ? key : null;
    },
    idFor: async (reference, key) => {
      const found = (await read(reference)).filter((record) => record[reference.by] === key || record['id'] === key);
      const id = found.length === 1 ? found[0]?.['id'] : null;
      return typeof id === 'string' ? id : null;
    },
    forget: () => known.clear(),
  };
}

/** Whether a record holds a credential that the API does not show. */
export function redactedAt(live: Values | undefined, path: readonly string[]): boolean {
  const [field = '', name = ''] = path;
  const map = live?.[field];
  return isValues(map) && map[name] === REDACTED;
}

/** The fields as the API takes them: with ids in place of the keys of others. */
export async function fieldsForApi(
  kind: Kind,
  fields: Values,
  directory: Directory,
): Promise<{ body: Values; unknown: string | null }> {
  let body = fields;
  for (const reference of kind.references ?? []) {
    const parent = reference.at.split('.').slice(0, -1);
    const at = [...parent, reference.as].join('.');
    const key = valueAt(body, at);
    if (key === undefined) continue;
    const keys = (Array.isArray(key) ? key : [key]).filter((one) => typeof one === 'string');
    // biome-ignore lint/performance/noAwaitInLoops: a kind has one reference at most
    const ids = await Promise.all(keys.map((one) => directory.idFor(reference, one)));
    const unknown = keys.find((_, index) => ids[index] === null);
    if (unknown !== undefined) return { body, unknown: `${reference.as} "${unknown}"` };
    const value = Array.isArray(key) ? ids : (ids[0] ?? null);
    body = replacedAt(body, at, { name: reference.at.split('.').at(-1) ?? '', value });
  }
  return { body, unknown: null };
}

/** A copy with the credentials that the API does not show in place of references that stand for them. */
export function keepingCredentials(kind: Kind, fields: Values, live: Values): Values {
  const kept = mappedStrings(fields, (text, path) =>
    (kind.redacts ?? []).includes(path[0] ?? '') && redactedAt(live, path) ? REDACTED : text,
  );
  return isValues(kept) ? kept : fields;
}

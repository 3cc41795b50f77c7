import { equalities, type Filter, matches, readFilter } from './filters.ts';
import { type Path, readPath } from './paths.ts';
import { type Attributes, isRecord, readAttributes, readValue, valueNamed } from './resource.ts';
import type { Attribute, ResourceType } from './schemas.ts';
import { invalid } from './scim-error.ts';

type Verb = 'add' | 'replace' | 'remove';
export type Operation = { verb: Verb; path: string | null; value: unknown };

const MAX_OPERATIONS = 1_000;

/**
 * Reads the operations of a PATCH (RFC 7644 §3.5.2). Entra ID writes the verbs with a capital letter.
 * @throws ScimError invalidSyntax, tooMany
 */
export function readOperations(body: unknown): Operation[] {
  const operations = isRecord(body) ? valueNamed(body, 'Operations') : undefined;
  if (!Array.isArray(operations)) throw invalid('invalidSyntax', 'A PATCH has "Operations", an array.');
  if (operations.length > MAX_OPERATIONS) throw invalid('tooMany', `A PATCH has up to ${MAX_OPERATIONS} operations.`);
  return operations.map((operation, index) => {
    const given = isRecord(operation) ? operation : {};
    const verb = verbOf(valueNamed(given, 'op'));
    if (!verb) throw invalid('invalidSyntax', `Operation ${index + 1} has no "op" of add, replace or remove.`);
    const path = valueNamed(given, 'path') ?? null;
    if (path !== null && typeof path !== 'string')
      throw invalid('invalidPath', `The path of operation ${index + 1} must be text.`);
    return { verb, path: path === '' ? null : path, value: valueNamed(given, 'value') };
  });
}

function verbOf(op: unknown): Verb | undefined {
  const text = typeof op === 'string' ? op.toLowerCase() : '';
  return text === 'add' || text === 'replace' || text === 'remove' ? text : undefined;
}

/**
 * Applies operations to the attributes of a resource.
 * @returns the new attributes; the given ones stay as they are
 * @throws ScimError invalidPath, noTarget, invalidValue, mutability
 */
export function patched(type: ResourceType, before: Attributes, operations: readonly Operation[]): Attributes {
  const after = structuredClone(before);
  for (const operation of operations) apply(type, after, operation);
  return readAttributes(type, after);
}

function apply(type: ResourceType, resource: Attributes, { verb, path, value }: Operation): void {
  if (path !== null) {
    applyAt(type, resource, { verb, value, target: readTarget(type, path) });
    return;
  }
  if (verb === 'remove') throw invalid('noTarget', 'A removal names a path.');
  if (!isRecord(value)) throw invalid('invalidValue', 'Without a path, the value is an object of attributes.');
  for (const [name, each] of Object.entries(value)) {
    const target = writableTarget(type, name);
    if (target) applyAt(type, resource, { verb, value: each, target });
  }
}

/** Unknown and read-only attributes of an object are ignored, as in a POST; Okta sends the id of a group. */
function writableTarget(type: ResourceType, name: string): Target | null {
  try {
    const target = readTarget(type, name);
    return target.attribute?.mutability === 'readOnly' ? null : target;
  } catch {
    return null;
  }
}

type Target = Path & { filter: Filter | null };

const VALUE_PATH = /^([^[\]]+)\[(.+)\](?:\.([^[\].]+))?$/s;

/** Reads `emails[type eq "work"].value`, `name.givenName` or `userName`. */
function readTarget(type: ResourceType, text: string): Target {
  const [, name, filter, sub] = VALUE_PATH.exec(text.trim()) ?? [];
  if (name === undefined || filter === undefined) return { ...readPath(type, text.trim()), filter: null };
  return { ...readPath(type, sub === undefined ? name : `${name}.${sub}`), filter: readFilter(filter) };
}

type Change = { verb: Verb; value: unknown; target: Target };

function applyAt(type: ResourceType, resource: Attributes, { verb, value, target }: Change): void {
  const { extension, attribute, sub } = target;
  if (!attribute) {
    changeExtension(resource, target, { verb, value });
    return;
  }
  const container = extension ? containerOf(resource, extension.id) : resource;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly')
    throw invalid('mutability', `"${(sub ?? attribute).name}" of ${type.kind} is read-only.`);
  if (attribute.multiValued) changeValues(container, attribute, { verb, value, target });
  else changeValue(container, attribute, { verb, value, target });
}

function changeExtension(
  resource: Attributes,
  { extension }: Target,
  { verb, value }: Pick<Change, 'verb' | 'value'>,
): void {
  if (!extension) return;
  if (verb === 'remove') delete resource[extension.id];
  else if (isRecord(value)) Object.assign(containerOf(resource, extension.id), value);
  else throw invalid('invalidValue', `The value of "${extension.id}" is an object.`);
}

function containerOf(resource: Attributes, name: string): Attributes {
  const known = resource[name];
  if (isRecord(known)) return known;
  const added: Attributes = {};
  resource[name] = added;
  return added;
}

function changeValue(container: Attributes, attribute: Attribute, { verb, value, target: { sub } }: Change): void {
  if (sub) {
    const complex = containerOf(container, attribute.name);
    if (verb === 'remove') delete complex[sub.name];
    else complex[sub.name] = value;
    return;
  }
  if (verb === 'remove') delete container[attribute.name];
  else if (verb === 'add' && isRecord(value) && isRecord(container[attribute.name]))
    Object.assign(containerOf(container, attribute.name), readValue(attribute, value, attribute.name));
  else container[attribute.name] = value;
}

function changeValues(container: Attributes, attribute: Attribute, { verb, value, target }: Change): void {
  const known = container[attribute.name];
  const values: unknown[] = Array.isArray(known) ? known : [];
  const { filter, sub } = target;
  if (filter) container[attribute.name] = changeMatching(attribute, values, { verb, value, filter, sub });
  else if (sub) container[attribute.name] = values.map((each) => withSub(each, sub, { verb, value }));
  else if (verb === 'remove') container[attribute.name] = withoutValues(attribute, values, value);
  else {
    const given = readValue(attribute, value, attribute.name);
    const added: unknown[] = Array.isArray(given) ? given : [];
    container[attribute.name] = verb === 'replace' ? added : merged(values, added);
  }
}

type Matching = { verb: Verb; value: unknown; filter: Filter; sub: Attribute | null };

/** Directories add a value by a filter that matches none, such as `emails[type eq "work"].value`. */
function changeMatching(attribute: Attribute, values: unknown[], { verb, value, filter, sub }: Matching): unknown[] {
  const isMatch = (each: unknown) => matches(attribute, filter, each);
  if (verb === 'remove' && !sub) return values.filter((each) => !isMatch(each));
  if (!values.some(isMatch)) {
    if (verb === 'remove') return values;
    const given = sub ? { [sub.name]: value } : value;
    if (!isRecord(given)) throw invalid('invalidValue', `A value of "${attribute.name}" is an object.`);
    return merged(values, [{ ...equalities(filter), ...given }]);
  }
  return values.map((each) => {
    if (!isMatch(each)) return each;
    if (sub) return withSub(each, sub, { verb, value });
    return verb === 'replace' || !isRecord(value) || !isRecord(each) ? value : { ...each, ...value };
  });
}

function withSub(value: unknown, sub: Attribute, { verb, value: given }: Pick<Change, 'verb' | 'value'>): unknown {
  const { [sub.name]: _before, ...others } = isRecord(value) ? value : {};
  return verb === 'remove' ? others : { ...others, [sub.name]: given };
}

/** Entra ID names the values to remove in the body instead of the path. */
function withoutValues(attribute: Attribute, values: readonly unknown[], named: unknown): unknown[] {
  const given = readValue(attribute, named, attribute.name);
  if (!Array.isArray(given)) return [];
  const gone = new Set(given.map(keyOf));
  return values.filter((each) => !gone.has(keyOf(each)));
}

/** Adding a value that is there changes nothing, except that only the last primary value stays primary. */
function merged(values: readonly unknown[], added: readonly unknown[]): unknown[] {
  const keys = new Set(added.map(keyOf));
  const hasPrimary = added.some((each) => isRecord(each) && each['primary'] === true);
  const kept = values
    .filter((each) => !keys.has(keyOf(each)))
    .map((each) => (hasPrimary && isRecord(each) && each['primary'] === true ? { ...each, primary: false } : each));
  return [...kept, ...new Map(added.map((each) => [keyOf(each), each])).values()];
}

function keyOf(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value);
  const { value: own, type, ...others } = value;
  return JSON.stringify(own === undefined ? [type, others] : [own, type]);
}

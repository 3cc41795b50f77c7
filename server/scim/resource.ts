import { attributeNamed } from './paths.ts';
import type { Attribute, ResourceType } from './schemas.ts';
import { invalid } from './scim-error.ts';

/** The attributes of a resource, by name; those of an extension are below its URN. */
export type Attributes = Record<string, unknown>;

const MAX_TEXT = 1_000;
const MAX_VALUES = 200;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the attributes that a client may write. Names get the case of the schema. Attributes that are unknown or read
 * only are ignored (RFC 7644 §3.3 and §3.5.1), as are empty values (RFC 7643 §2.5).
 * @throws ScimError invalidSyntax, invalidValue
 */
export function readAttributes(type: ResourceType, body: unknown): Attributes {
  if (!isRecord(body)) throw invalid('invalidSyntax', 'The resource must be a JSON object.');
  const found = readAll(type.attributes, body, '');
  const extension = type.extension;
  const extended = extension && valueNamed(body, extension.id);
  if (extension && extended !== undefined && extended !== null) {
    if (!isRecord(extended)) throw invalid('invalidValue', `"${extension.id}" must be an object.`);
    const inExtension = readAll(extension.attributes, extended, `${extension.id}:`);
    if (Object.keys(inExtension).length > 0) found[extension.id] = inExtension;
  }
  requirePresent(type, found);
  return found;
}

function requirePresent({ attributes }: ResourceType, found: Attributes): void {
  for (const { name, required } of attributes)
    if (required && found[name] === undefined) throw invalid('invalidValue', `"${name}" is required.`);
}

function readAll(attributes: readonly Attribute[], source: Attributes, prefix: string): Attributes {
  const read: Attributes = {};
  for (const [name, value] of Object.entries(source)) {
    const attribute = attributeNamed(attributes, name);
    if (!attribute || attribute.mutability === 'readOnly') continue;
    const known = readValue(attribute, value, prefix + attribute.name);
    if (known !== undefined) read[attribute.name] = known;
  }
  return read;
}

/**
 * Reads the value of an attribute.
 * @returns undefined for an empty value
 * @throws ScimError invalidValue
 */
export function readValue(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readSingle(attribute, value, path);
  const values = Array.isArray(value) ? value : [value];
  if (values.length > MAX_VALUES && attribute.name !== 'members')
    throw invalid('tooMany', `"${path}" may have up to ${MAX_VALUES} values.`);
  const known = values.map((each) => readSingle(attribute, each, path)).filter((each) => each !== undefined);
  return known.length === 0 ? undefined : onePrimary(known);
}

/** At most one value is the primary one (RFC 7643 §2.4): the last that says so. */
function onePrimary(values: readonly unknown[]): unknown[] {
  const last = values.findLastIndex((value) => isRecord(value) && value['primary'] === true);
  return values.map((value, index) =>
    isRecord(value) && value['primary'] === true && index !== last ? { ...value, primary: false } : value,
  );
}

function readSingle(attribute: Attribute, value: unknown, path: string): unknown {
  switch (attribute.type) {
    case 'complex':
      return readComplex(attribute, value, path);
    case 'boolean':
      return readBoolean(value, path);
    case 'dateTime':
      if (typeof value === 'string' && INSTANT.test(value)) return value;
      throw invalid('invalidValue', `"${path}" must be a date and time.`);
    default:
      return readText(value, path);
  }
}

function readComplex({ subAttributes = [] }: Attribute, value: unknown, path: string): unknown {
  // Entra ID sends a manager, and some directories an email address, as a plain text.
  const record = typeof value === 'string' ? { value } : value;
  if (!isRecord(record)) throw invalid('invalidValue', `"${path}" must be an object.`);
  const known = readAll(subAttributes, record, `${path}.`);
  return Object.keys(known).length === 0 ? undefined : known;
}

/** Entra ID sends booleans as text. */
function readBoolean(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw invalid('invalidValue', `"${path}" must be true or false.`);
}

function readText(value: unknown, path: string): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw invalid('invalidValue', `"${path}" must be text.`);
  if (text.length > MAX_TEXT) throw invalid('invalidValue', `"${path}" may have up to ${MAX_TEXT} characters.`);
  return text.trim() === '' ? undefined : text;
}

export function isRecord(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a name, regardless of case. */
export function valueNamed(record: Attributes, name: string): unknown {
  const wanted = name.toLowerCase();
  return Object.entries(record).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

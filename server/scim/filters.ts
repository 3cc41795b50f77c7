import { type Filter, parse } from 'scim2-parse-filter';
import { attributeNamed, type Path, readPath } from './paths.ts';
import { type Attributes, isRecord } from './resource.ts';
import type { Attribute, ResourceType } from './schemas.ts';
import { invalid, ScimError } from './scim-error.ts';

export type { Filter };

type Comparison = Extract<Filter, { compValue: unknown }>;

const MAX_LENGTH = 2_000;
const MAX_TERMS = 50;

/**
 * Reads a filter (RFC 7644 §3.4.2.2).
 * @throws ScimError invalidFilter
 */
export function readFilter(text: string): Filter {
  if (text.length > MAX_LENGTH) throw invalid('invalidFilter', `A filter may have up to ${MAX_LENGTH} characters.`);
  let filter: Filter;
  try {
    filter = parseWithTexts(text);
  } catch {
    throw invalid('invalidFilter', `The filter can't be read: ${text}`);
  }
  if (termsOf(filter) > MAX_TERMS) throw invalid('invalidFilter', `A filter may have up to ${MAX_TERMS} terms.`);
  return filter;
}

const STRING = /"(?:[^"\\]|\\.)*"/gs;

/** Strings in a filter are JSON strings. The parser has other rules for escapes, so it gets the number of each string. */
function parseWithTexts(text: string): Filter {
  const texts: string[] = [];
  const numbered = text.replaceAll(STRING, (literal) => `"${texts.push(JSON.parse(literal)) - 1}"`);
  if (texts.some((each) => each.includes('\0') || !each.isWellFormed())) throw new Error('not a text of PostgreSQL');
  return withTexts(parse(numbered), texts);
}

function withTexts(filter: Filter, texts: readonly string[]): Filter {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { ...filter, filters: filter.filters.map((each) => withTexts(each, texts)) };
    case 'not':
      return { ...filter, filter: withTexts(filter.filter, texts) };
    case '[]':
      return { ...filter, valFilter: withTexts(filter.valFilter, texts) };
    case 'pr':
      return filter;
    default: {
      const { compValue } = filter;
      return typeof compValue === 'string' ? { ...filter, compValue: texts[Number(compValue)] ?? null } : filter;
    }
  }
}

function termsOf(filter: Filter): number {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + termsOf(each), 0);
    case 'not':
      return termsOf(filter.filter);
    case '[]':
      return 1 + termsOf(filter.valFilter);
    default:
      return 1;
  }
}

/**
 * The filter as a predicate of the SQL/JSON path language on the document of a resource. Every text in it is quoted.
 * @throws ScimError invalidFilter
 */
export function predicateOf(type: ResourceType, filter: Filter): string {
  return predicate(filter, (name, whole) => inDocument(type, name, whole));
}

/** The values that the filter is about: where they are, and their attribute. */
type Target = { at: string; attribute: Attribute };

function predicate(filter: Filter, find: (name: string, whole?: boolean) => Target): string {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const terms = filter.filters.map((each) => predicate(each, find));
      return `(${terms.join(filter.op === 'and' ? ' && ' : ' || ')})`;
    }
    case 'not':
      return `!(${predicate(filter.filter, find)})`;
    case '[]': {
      const { at, attribute } = find(filter.attrPath, true);
      return `exists(${at} ? (${predicate(filter.valFilter, (name) => inValue(attribute, name))}))`;
    }
    case 'pr':
      return `exists(${find(filter.attrPath, true).at})`;
    default:
      return comparison(filter, find(filter.attrPath));
  }
}

function comparison({ op, compValue }: Comparison, { at, attribute }: Target): string {
  if (compValue === null) return op === 'ne' ? `exists(${at})` : `!exists(${at})`;
  if (op === 'ne') return `!(${comparison({ op: 'eq', attrPath: '', compValue }, { at, attribute })})`;
  if (attribute.type === 'boolean' || typeof compValue === 'boolean') {
    if (op !== 'eq') throw invalid('invalidFilter', `"${attribute.name}" can't be compared by "${op}".`);
    return `${at} == ${/^true$/i.test(String(compValue))}`;
  }
  return comparisonOfText(op, String(compValue), { at, attribute });
}

function comparisonOfText(op: Comparison['op'], given: string, { at, attribute }: Target): string {
  const { type, caseExact } = attribute;
  const text = type === 'dateTime' ? instantOf(given) : given;
  if (op in ORDER) return `${at} ${ORDER[op]} ${quoted(text)}`;
  if (op === 'eq' && (caseExact || type === 'dateTime')) return `${at} == ${quoted(text)}`;
  const [start, end] = [op === 'eq' || op === 'sw' ? '^' : '', op === 'eq' || op === 'ew' ? '$' : ''];
  return `${at} like_regex ${quoted(start + literally(text) + end)}${caseExact ? '' : ' flag "i"'}`;
}

const ORDER: Record<string, string> = { gt: '>', ge: '>=', lt: '<', le: '<=' };

/** In the form in which documents have times, so that they compare as text. */
function instantOf(text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw invalid('invalidFilter', `"${text}" is not a date and time.`);
  return moment.toISOString();
}

/** A string of the path language, which is written as in JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A comparison with a complex attribute is one with its `value` (RFC 7644 §3.4.2.2); a value filter is about the whole. */
function inDocument(type: ResourceType, name: string, whole = false): Target {
  const { extension, attribute, sub } = pathInFilter(type, name);
  if (!attribute) throw invalid('invalidFilter', `"${name}" names a schema, not an attribute.`);
  const leaf = sub ?? (whole ? null : (attributeNamed(attribute.subAttributes ?? [], 'value') ?? null));
  return { at: `@${placeOf({ extension, attribute, sub: leaf })}`, attribute: leaf ?? attribute };
}

function inValue({ name, subAttributes = [] }: Attribute, sub: string): Target {
  const attribute = attributeNamed(subAttributes, sub);
  if (!attribute) throw invalid('invalidFilter', `"${name}" has no "${sub}".`);
  return { at: `@.${quoted(attribute.name)}`, attribute };
}

function pathInFilter(type: ResourceType, name: string): Path {
  try {
    return readPath(type, name);
  } catch (error) {
    throw error instanceof ScimError ? invalid('invalidFilter', error.message) : error;
  }
}

/** Where the path language finds an attribute below a document. It looks into arrays by itself. */
export function placeOf({ extension, attribute, sub }: Path): string {
  return [extension?.id, attribute?.name, sub?.name].flatMap((name) => (name ? [`.${quoted(name)}`] : [])).join('');
}

/**
 * Whether one value of a complex attribute matches a value filter, as PATCH uses them.
 * @throws ScimError invalidFilter
 */
export function matches(attribute: Attribute, filter: Filter, value: unknown): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((each) => matches(attribute, each, value));
    case 'or':
      return filter.filters.some((each) => matches(attribute, each, value));
    case 'not':
      return !matches(attribute, filter.filter, value);
    case '[]':
      throw invalid('invalidFilter', 'A value filter has no value filter in it.');
    default: {
      const sub = attributeNamed(attribute.subAttributes ?? [], filter.attrPath);
      if (!sub) throw invalid('invalidFilter', `"${attribute.name}" has no "${filter.attrPath}".`);
      const own = isRecord(value) ? value[sub.name] : undefined;
      return filter.op === 'pr' ? own !== undefined : compares(sub, own, filter);
    }
  }
}

function compares({ caseExact, type }: Attribute, own: unknown, { op, compValue }: Comparison): boolean {
  const fold = (given: unknown) => {
    const text = given === undefined || given === null ? '' : String(given);
    return caseExact && type !== 'boolean' ? text : text.toLowerCase();
  };
  const [left, right] = [fold(own), fold(compValue)];
  switch (op) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
  }
}

/** The attributes that a value filter requires to be equal to something, as a new value would have them. */
export function equalities(filter: Filter): Attributes {
  if (filter.op === 'eq') return { [filter.attrPath]: filter.compValue };
  if (filter.op !== 'and') return {};
  return Object.assign({}, ...filter.filters.map(equalities));
}

/** The text that an attribute must be equal to for the filter to match, if the filter says so. */
export function requiredText(filter: Filter, name: string): string | undefined {
  if (filter.op === 'and')
    return filter.filters.map((each) => requiredText(each, name)).find((text) => text !== undefined);
  const wanted = filter.op === 'eq' && filter.attrPath.toLowerCase() === name.toLowerCase();
  return wanted && typeof filter.compValue === 'string' ? filter.compValue : undefined;
}

import { isDeepStrictEqual } from 'node:util';
import type { TestResponse } from './harness.ts';
import { dereferenced } from './openapi.ts';

type Schema = {
  type?: unknown;
  format?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  [keyword: string]: unknown;
};
type Content = Record<string, { schema?: Schema }>;
type Parameter = { in: string; name: string; required?: boolean; schema: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  security?: unknown[];
  'x-step-up'?: boolean;
};
type Described = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
/** The position of a schema in the message, and whether the client sends or receives the value. */
type Place = { at: string; sent: boolean };

const PROBLEM = 'application/problem+json';

/**
 * Finds changes of an OpenAPI description that break clients of the earlier version. New fields, new enum values of
 * responses and removed error responses break none.
 * @returns the operation (`POST /v1/auth/register`, or the media type of problems) and the broken promise
 */
export function breakingChanges(
  before: TestResponse['body'],
  after: TestResponse['body'],
): { operation: string; change: string }[] {
  const [old, now]: Described[] = [dereferenced(before), dereferenced(after)];
  if (!old || !now) return [];
  const operations = operationsOf(now);
  const found = [...operationsOf(old)].map(([key, { name, operation }]) => {
    const same = operations.get(key)?.operation;
    return { name, changes: same ? operationChanges(operation, same) : ['is removed'] };
  });
  const problems = [old, now].map(({ components }) => components.schemas['ProblemDetails'] ?? {});
  const [oldProblem = {}, newProblem = {}] = problems;
  const all = [
    ...found,
    { name: PROBLEM, changes: schemaChanges(oldProblem, newProblem, { at: 'problem', sent: false }) },
  ];
  return all.flatMap(({ name, changes }) => changes.map((change) => ({ operation: name, change })));
}

/** Operations by method and path, ignoring the names of path parameters. */
function operationsOf({ paths }: Described): Map<string, { name: string; operation: Operation }> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        return [name.replaceAll(/\{[^}]+\}/g, '{}'), { name, operation }];
      }),
    ),
  );
}

function operationChanges(old: Operation, now: Operation): string[] {
  const nothing = {};
  const allowed = now.security ?? [nothing];
  const fits = (way: unknown) => allowed.some((other) => [way, nothing].some((one) => isDeepStrictEqual(one, other)));
  const lost = (old.security ?? [nothing]).some((way) => !fits(way));
  return [
    ...(lost ? ['asks for another permission'] : []),
    ...(now['x-step-up'] && !old['x-step-up'] ? ['asks for a fresh proof'] : []),
    ...parameterChanges(old, now),
    ...bodyChanges(old, now),
    ...responseChanges(old, now),
  ];
}

function parameterChanges(old: Operation, now: Operation): string[] {
  const [before, after] = [parametersOf(old), parametersOf(now)];
  const added = [...after].filter(([key, { required }]) => required && !before.get(key)?.required);
  const kept = [...before].flatMap(([key, { schema }]) => {
    const same = after.get(key);
    return same ? schemaChanges(schema, same.schema, { at: key, sent: true }) : [`${key} is removed`];
  });
  return [...added.map(([key]) => `${key} is required`), ...kept];
}

/** Parameters by place and name; path parameters by their order. */
function parametersOf({ parameters = [] }: Operation): Map<string, Parameter> {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  return new Map(
    parameters.map((parameter) => {
      const { in: place, name } = parameter;
      return [`${place} parameter ${place === 'path' ? inPath.indexOf(parameter) + 1 : name}`, parameter];
    }),
  );
}

function bodyChanges({ requestBody: old }: Operation, { requestBody: now }: Operation): string[] {
  const required = now?.required && !old?.required ? ['request body is required'] : [];
  return [...required, ...contentChanges(old?.content, now?.content, { at: 'request', sent: true })];
}

/** Error responses count only if they are more than a problem: no client relies on a problem. */
function responseChanges({ responses: old }: Operation, { responses: now }: Operation): string[] {
  return Object.entries(old).flatMap(([status, { content }]) => {
    const same = now[status];
    if (!same) return Number(status) < 400 ? [`response ${status} is removed`] : [];
    return contentChanges(content, same.content, { at: `response ${status}`, sent: false });
  });
}

function contentChanges(old: Content = {}, now: Content = {}, { at, sent }: Place): string[] {
  return Object.entries(old).flatMap(([type, { schema = {} }]) => {
    if (type === PROBLEM) return [];
    const same = now[type];
    return same ? schemaChanges(schema, same.schema ?? {}, { at, sent }) : [`${at} as ${type} is removed`];
  });
}

/** Sent: each allowed value is still allowed. Received: each possible value was already declared. */
function schemaChanges(old: Schema, now: Schema, { at, sent }: Place): string[] {
  if (isDeepStrictEqual(old, now)) return [];
  const [before, after] = [old.anyOf ?? [old], now.anyOf ?? [now]];
  const [only, becomes] = [before[0], after[0]];
  if (only && becomes && before.length === 1 && after.length === 1) return plainChanges(only, becomes, { at, sent });
  const [needed, offered] = sent ? [before, after] : [after, before];
  const between = (one: Schema, other: Schema) =>
    sent ? schemaChanges(one, other, { at, sent }) : schemaChanges(other, one, { at, sent });
  const missing = needed.filter((one) => !offered.some((other) => between(one, other).length === 0));
  return missing.flatMap((one) => {
    const other = before.length === after.length ? offered[needed.indexOf(one)] : undefined;
    return other ? between(one, other) : [`${at} ${sent ? 'is no longer' : 'may be'} ${String(typeOf(one))}`];
  });
}

function plainChanges(old: Schema, now: Schema, { at, sent }: Place): string[] {
  if (!isDeepStrictEqual(typeOf(old), typeOf(now))) return [`${at} changes its type`];
  const values = (['items', 'additionalProperties'] as const).flatMap((keyword) => {
    const [before, after] = [old[keyword], now[keyword]];
    const both = typeof before === 'object' && typeof after === 'object';
    return both ? schemaChanges(before, after, { at: `${at}[]`, sent }) : [];
  });
  return [
    ...(sent ? limitChanges(old, now, at) : announcedChanges(old, now, at)),
    ...propertyChanges(old, now, { at, sent }),
    ...values,
  ];
}

function typeOf({ type, const: value, enum: [first] = [], anyOf }: Schema): unknown {
  return type ?? (anyOf ? 'one of several' : typeof (value ?? first));
}

/** The direction in which a keyword becomes stricter: a lower number, a higher one, or any other value. */
const LIMITS: Readonly<Record<string, 'lower' | 'higher' | 'other'>> = {
  maximum: 'lower',
  maxLength: 'lower',
  maxItems: 'lower',
  maxProperties: 'lower',
  minimum: 'higher',
  minLength: 'higher',
  minItems: 'higher',
  minProperties: 'higher',
  const: 'other',
  format: 'other',
  pattern: 'other',
  uniqueItems: 'other',
};

function limitChanges(old: Schema, now: Schema, at: string): string[] {
  const stricter = Object.entries(LIMITS).filter(([keyword, direction]) => {
    const [before, after] = [old[keyword], now[keyword]];
    if (after === undefined || after === before) return false;
    if (before === undefined || direction === 'other') return true;
    return direction === 'lower' ? Number(after) < Number(before) : Number(after) > Number(before);
  });
  const allowed = now.enum;
  const gone = allowed && (old.enum ?? [old.const]).filter((value) => !allowed.includes(value));
  const closed = now.additionalProperties === false && old.additionalProperties !== false;
  return [
    ...stricter.map(([keyword]) => `${at} has a stricter ${keyword}`),
    ...(gone?.length ? [`${at} no longer takes ${old.enum ? gone.join(', ') : 'every value'}`] : []),
    ...(closed ? [`${at} takes no other properties`] : []),
  ];
}

function announcedChanges(old: Schema, now: Schema, at: string): string[] {
  const changed = (['const', 'format'] as const).filter((key) => old[key] !== undefined && old[key] !== now[key]);
  return changed.map((keyword) => `${at} has another ${keyword}`);
}

function propertyChanges(old: Schema, now: Schema, { at, sent }: Place): string[] {
  const { properties: before = {}, required: needed = [] } = old;
  const { properties: after = {}, required = [] } = now;
  const kept = Object.entries(before).flatMap(([name, schema]) => {
    const [same, path] = [after[name], `${at}.${name}`];
    if (same) return schemaChanges(schema, same, { at: path, sent });
    return (sent ? now.additionalProperties === false : needed.includes(name)) ? [`${path} is removed`] : [];
  });
  const [strict, loose] = sent ? [required, needed] : [needed, required];
  const turned = strict.filter((name) => !loose.includes(name) && (sent || name in after));
  return [...kept, ...turned.map((name) => `${at}.${name} is ${sent ? 'required' : 'optional'}`)];
}

import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Kind } from './kind.ts';
import type { Values } from './plain.ts';

type Fault = { path: (string | number)[]; fault: string };

type Compiled = { validate: ValidateFunction; neededByNew: readonly string[] };

const compiled = new Map<string, Compiled>();

/** The JSON Schema of a kind's records, as text; `kinds.test.ts` makes it from the description of the admin API. */
export function schemaText({ name }: Kind): string {
  return readFileSync(new URL(`./schemas/${name}.json`, import.meta.url), 'utf8');
}

/** What is wrong with a record, by its schema. */
export function faultsOf(kind: Kind, fields: Values): Fault[] {
  const { validate } = compiledFor(kind);
  if (validate(fields)) return [];
  const faults = new Map<string, Fault>();
  for (const { path, fault } of (validate.errors ?? []).flatMap(faultOf)) {
    const name = path.join('.');
    const known = faults.get(name);
    faults.set(name, { path, fault: known ? `${known.fault}, or ${fault}` : `${name} ${fault}`.trim() });
  }
  return [...faults.values()].slice(0, 10);
}

/** The fields that a new record needs and this one lacks. */
export function missingIn(kind: Kind, fields: Values): string[] {
  return compiledFor(kind).neededByNew.filter((name) => fields[name] === undefined);
}

function compiledFor(kind: Kind): Compiled {
  const known = compiled.get(kind.name) ?? compile(kind);
  compiled.set(kind.name, known);
  return known;
}

function compile(kind: Kind): Compiled {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const { $defs }: { $defs: { record: { neededByNew: string[] } } } = JSON.parse(schemaText(kind));
  return { validate: ajv.compile({ $defs, $ref: '#/$defs/record' }), neededByNew: $defs.record.neededByNew };
}

/** A value may be a reference where it is not valid itself, so that is no fault of its own. */
function faultOf({ instancePath, schemaPath, message = 'is not valid', params, keyword }: ErrorObject): Fault[] {
  if (keyword === 'anyOf' || schemaPath.includes('/reference/')) return [];
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (keyword === 'additionalProperties')
    return [{ path: [...path, String(params['additionalProperty'])], fault: 'is no field of this kind' }];
  return [{ path, fault: keyword === 'enum' ? `must be one of ${String(params['allowedValues'])}` : message }];
}

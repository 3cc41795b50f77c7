import type { TestLatchkey, TestResponse } from './harness.ts';
import { dereferenced } from './openapi.ts';

type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  minimum?: number;
  minItems?: number;
  minProperties?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

type Described = {
  security?: { bearer?: string[] }[];
  parameters?: { name: string; in: string; required?: boolean; example?: string; schema: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
};

/** An operation of an OpenAPI description, ready to call. */
export type Operation = {
  method: string;
  path: string;
  /** The permission, `customer`, or null for a public operation. */
  permission: string | null;
  /** True if a token is optional. */
  optional: boolean;
  /** True if the path or body contains the id of a record. */
  namesRecord: boolean;
  /** True if the path needs a kind of record that does not exist. */
  namesNothing: boolean;
  body: unknown;
};

/** Ids of records by prefix, such as `rol`, and other path parameters by name. */
export type Records = Record<string, string>;

/** Every operation of a host, filled in with ids of existing records and valid bodies. */
export function operationsIn(document: TestResponse['body'], records: Records): Operation[] {
  return Object.entries<Record<string, Described>>(dereferenced(document).paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const path = filled(template, described, records);
      const schema = described.requestBody?.content?.['application/json']?.schema;
      const body = schema && withRecords(exampleOf(schema), records);
      return {
        method: method.toUpperCase(),
        path,
        permission: described.security ? (described.security[0]?.bearer?.[0] ?? 'customer') : null,
        optional: described.security?.some((scheme) => !scheme.bearer) === true,
        namesRecord: Object.values(records).some((id) =>
          `${decodeURIComponent(path)}${JSON.stringify(body)}`.includes(id),
        ),
        namesNothing: path.includes(EXAMPLE),
        body,
      };
    }),
  );
}

function filled(template: string, { parameters = [] }: Described, records: Records): string {
  const valueFor = ({ name, example, schema }: NonNullable<Described['parameters']>[number]) =>
    encodeURIComponent(String(records[name] ?? withRecords(example ?? exampleOf(schema), records)));
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required === true);
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((before, parameter) => before.replace(`{${parameter.name}}`, valueFor(parameter)), template);
  return query.length === 0 ? path : `${path}?${query.map((one) => `${one.name}=${valueFor(one)}`).join('&')}`;
}

/** The suffix of every example id in the description. */
const EXAMPLE = '_01kaz3w9hqf8p9n2m4v5x6y7z8';
const ID = new RegExp(`^([a-z]{3})${EXAMPLE}$`);

/** Replaces example ids by ids of existing records. */
function withRecords(value: unknown, records: Records): unknown {
  if (typeof value === 'string') return records[ID.exec(value)?.[1] ?? ''] ?? value;
  if (Array.isArray(value)) return value.map((item) => withRecords(item, records));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withRecords(item, records)]));
}

const BY_FORMAT: Record<string, string> = {
  email: 'somebody@example.com',
  'date-time': '2026-01-01T00:00:00.000Z',
  uri: 'https://example.com/',
};

/** A minimal value that a schema allows. */
function exampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  const given = schema.examples?.[0] ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  if (schema.type === 'object') return objectOf(schema);
  if (schema.type === 'array') return schema.minItems && schema.items ? [exampleOf(schema.items)] : [];
  if (schema.type === 'string') return BY_FORMAT[schema.format ?? ''] ?? 'x'.repeat(Math.max(8, schema.minLength ?? 0));
  return schema.type === 'boolean' ? true : (schema.minimum ?? 1);
}

/** If any one field is enough, prefer one of these, which cause no calls to other machines. */
const HARMLESS = ['name', 'description', 'displayName', 'registration'];

function objectOf({ properties = {}, required = [], minProperties = 0 }: Schema): unknown {
  const names = Object.keys(properties);
  const any = HARMLESS.find((name) => names.includes(name)) ?? names[0] ?? '';
  const wanted = required.length === 0 && minProperties > 0 ? [any] : required;
  return Object.fromEntries(wanted.map((name) => [name, exampleOf(properties[name] ?? {})]));
}

/** Calls an operation of the API host. */
export function attempt(
  latchkey: TestLatchkey,
  { method, path, body }: Operation,
  token: string,
): Promise<TestResponse> {
  return latchkey.api(path, { method, ...(token !== '' && { token }), ...(body !== undefined && { body }) });
}

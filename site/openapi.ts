import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
};
type Media = Record<string, { schema?: Schema }>;
type Response = { $ref?: string; description?: string; content?: Media };
type Operation = {
  summary: string;
  description?: string;
  operationId: string;
  tags?: string[];
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content?: Media; required?: boolean };
  responses: Record<string, Response>;
};
export type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Schema & Parameter & Response>>;
};

/** The hosts that the reference describes. `status` shows status pages. */
type Host = 'api' | 'auth' | 'status';
/** One operation of a host, with everything that is needed to show it. */
export type Documented = { host: Host; method: string; path: string; operation: Operation; of: Description };

const root = resolve(import.meta.dirname, '..');

/** The operations of the committed description of a host. */
export function operationsOf(host: Host): Documented[] {
  const of: Description = JSON.parse(readFileSync(join(root, 'docs/openapi', `${host}.json`), 'utf8'));
  return Object.entries(of.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ host, method, path, operation, of })),
  );
}

/** Follows references of a description. */
export function resolved<T extends { $ref?: string }>(of: Description, value: T): T {
  if (value.$ref === undefined) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = of.components[kind]?.[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  if (!found) throw new Error(`${value.$ref} is in no component`);
  return { ...found, ...value, $ref: undefined };
}

/** The error codes that an operation returns, with the status of each. */
export function errorsOf({ operation, of }: Documented): { status: string; codes: string[] }[] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => ({
      status,
      codes: [...(resolved(of, response).description ?? '').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(
        ([, code = '']) => code,
      ),
    }));
}

export function parametersOf({ operation, of }: Documented): Parameter[] {
  return (operation.parameters ?? []).map((parameter) => resolved(of, parameter));
}

/** The schema of the body and its media type. */
export function bodyOf({ operation, of }: Documented): { type: string; schema: Schema; required: boolean } | null {
  const [entry] = Object.entries(operation.requestBody?.content ?? {});
  if (!entry) return null;
  const [type, { schema = {} }] = entry;
  return { type, schema: resolved(of, schema), required: operation.requestBody?.required === true };
}

/** The schema of the successful response. */
export function resultOf({ operation, of }: Documented): { status: string; schema: Schema | null } {
  const [status = '200', response = {}] =
    Object.entries(operation.responses).find(([code]) => Number(code) < 300) ??
    Object.entries(operation.responses)[0] ??
    [];
  const [media] = Object.values(resolved(of, response).content ?? {});
  return { status, schema: media?.schema ? resolved(of, media.schema) : null };
}

// What the clients of other languages are made of: the operations and records of an OpenAPI description, without its detours.

export type Type =
  | { kind: 'string' | 'integer' | 'number' | 'boolean' | 'any' }
  | { kind: 'enum'; values: string[] }
  | { kind: 'list'; of: Type }
  | { kind: 'map'; of: Type }
  | { kind: 'record'; name: string }
  | { kind: 'nullable'; of: Type };

export type Field = { name: string; type: Type; required: boolean; description: string };
export type RecordType = { name: string; description: string; fields: Field[] };

export type Operation = {
  /** In camel case, such as `addMember`. */
  name: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  pathParameters: string[];
  query: Field[];
  body: Type | null;
  bodyRequired: boolean;
  /** It takes an Idempotency-Key. */
  keyed: boolean;
  /** It takes an If-Match. */
  conditional: boolean;
  /** Null if there is no content. */
  result: Type | { kind: 'text' } | null;
  /** The records of a list that is read page by page. */
  item: Type | null;
};

export type Description = { operations: Operation[]; records: RecordType[] };

type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
};

type Content = Record<string, { schema?: Schema }>;

type Parameter = {
  $ref?: string;
  in?: string;
  name?: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

type DescribedOperation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
};

/** The parts of an OpenAPI 3.1 description that are read. */
export type OpenApi = {
  paths: Record<string, Record<string, DescribedOperation>>;
  components?: { schemas?: Record<string, Schema> };
};

/** Reads the operations of `/v1/…` and the records that they take and return. */
export function readDescription({ paths, components }: OpenApi): Description {
  const records = new Map<string, RecordType>();
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) addRecord(records, name, schema);
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => readOperation(records, { path, method, operation })),
    )
    .filter((operation) => operation !== null);
  const names = operations.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`Two operations have the same name: ${twice.join(', ')}`);
  return { operations, records: [...records.values()] };
}

/** An operation whose body the description does not have, an upload, is left out. */
function readOperation(
  records: Map<string, RecordType>,
  { path, method, operation }: { path: string; method: string; operation: DescribedOperation },
): Operation | null {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation;
  if (responses['415'] && !requestBody) return null;
  const name = withoutArticles(operationId);
  const refers = (header: string) => parameters.some(({ $ref }) => $ref === `#/components/parameters/${header}`);
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const item = itemsOf(content);
  const body = requestBody?.content['application/json']?.schema;
  return {
    name,
    method,
    path,
    summary,
    description,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter),
    query: parameters.filter((parameter) => parameter.in === 'query').flatMap((parameter) => queryOf(parameter)),
    body: body ? typeOf(records, body, `${pascal(name)}Request`) : null,
    bodyRequired: requestBody?.required === true,
    keyed: refers('idempotency-key'),
    conditional: refers('if-match'),
    result: item ? null : resultOf(records, content, `${pascal(name)}Response`),
    item: item ? typeOf(records, item, `${pascal(name)}Item`) : null,
  };

  /** A list that is read page by page asks for its pages itself. */
  function queryOf({ name: filter = '', schema = {}, required = false, description: words = '' }: Parameter): Field[] {
    if (item && filter === 'cursor') return [];
    return [{ name: filter, type: typeOf(records, schema, pascal(`${name} ${filter}`)), required, description: words }];
  }
}

function resultOf(records: Map<string, RecordType>, content: Content, name: string): Operation['result'] {
  const [kind, ...others] = Object.keys(content);
  const schema = content['application/json']?.schema;
  if (schema && others.length === 0) return typeOf(records, schema, name);
  return kind === undefined ? null : { kind: 'text' };
}

/** @returns the schema of a list's records; null for anything else, such as the event feed, which has no end */
function itemsOf(content: Content): Schema | null {
  const { properties = {} } = content['application/json']?.schema ?? {};
  return Object.keys(properties).sort().join() === 'items,nextCursor' ? (properties['items']?.items ?? null) : null;
}

function typeOf(records: Map<string, RecordType>, schema: Schema, name: string): Type {
  if (schema.$ref) return { kind: 'record', name: schema.$ref.replace('#/components/schemas/', '') };
  if (schema.anyOf) return unionOf(records, schema.anyOf, name);
  if (schema.enum) {
    const values = schema.enum.filter((value) => typeof value === 'string');
    return values.length === schema.enum.length ? { kind: 'enum', values } : simple(schema.type);
  }
  if (schema.type === 'array') return { kind: 'list', of: typeOf(records, schema.items ?? {}, `${name}Item`) };
  if (schema.type !== 'object') return simple(schema.type);
  if (Object.keys(schema.properties ?? {}).length > 0) {
    addRecord(records, name, schema);
    return { kind: 'record', name };
  }
  const values = schema.additionalProperties;
  return { kind: 'map', of: typeof values === 'object' ? typeOf(records, values, `${name}Value`) : { kind: 'any' } };
}

function unionOf(records: Map<string, RecordType>, alternatives: Schema[], name: string): Type {
  const others = alternatives.filter(({ type }) => type !== 'null');
  const [only] = others;
  const of: Type =
    others.length === 1 && only
      ? typeOf(records, only, name)
      : { kind: others.every(({ type, enum: values }) => type === 'string' || values) ? 'string' : 'any' };
  return others.length === alternatives.length ? of : { kind: 'nullable', of };
}

function simple(type: string | undefined): Type {
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean'
    ? { kind: type }
    : { kind: 'any' };
}

function addRecord(records: Map<string, RecordType>, name: string, schema: Schema): void {
  const record: RecordType = { name, description: schema.description ?? '', fields: [] };
  records.set(name, record);
  for (const [field, type] of Object.entries(schema.properties ?? {}))
    record.fields.push({
      name: field,
      type: typeOf(records, type, `${name}${pascal(field)}`),
      required: schema.required?.includes(field) ?? false,
      description: type.description ?? '',
    });
}

/** `removeAMemberSSecondFactors` is `removeMemberSecondFactors`. */
function withoutArticles(operationId: string): string {
  return operationId.replace(/(?<=[a-z])(?:A|An|The|S)(?=[A-Z])/g, '');
}

/** The words of a name in camel case or with spaces. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

export function pascal(name: string): string {
  return wordsOf(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

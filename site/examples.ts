import {
  bodyOf,
  type Description,
  type Documented,
  type Parameter,
  parametersOf,
  resolved,
  type Schema,
} from './openapi.ts';

const MAX_DEPTH = 5;
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2027-01-31T09:00:00Z',
  date: '2027-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '0195f2a0-7c1e-7b3a-9d1f-2f6c1a4b8e10',
};
const NAMES: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  password: 'correct horse battery staple',
  phone: '+14155550132',
  name: 'Acme',
  displayName: 'Ada Lovelace',
};

/** A value that fits a schema: its own example where it has one, and only what is required of an object. */
function exampleOf(of: Description, schema: Schema, name = '', depth = 0): unknown {
  const whole = resolved(of, schema);
  const given = whole.example ?? whole.examples?.[0] ?? whole.const ?? whole.enum?.[0] ?? whole.default;
  if (given !== undefined) return given;
  const inner = (part: Schema, partName: string) =>
    depth > MAX_DEPTH ? null : exampleOf(of, part, partName, depth + 1);
  const [choice] = whole.anyOf ?? whole.oneOf ?? [];
  return choice ? inner(choice, name) : plainExample(whole, name, inner);
}

function plainExample(schema: Schema, name: string, inner: (part: Schema, name: string) => unknown): unknown {
  switch (typeName(schema)) {
    case 'object':
      return objectOf(schema, inner);
    case 'array':
      return schema.items ? [inner(schema.items, name)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return NAMES[name] ?? FORMATS[schema.format ?? ''] ?? text(name);
  }
}

function typeName({ type, properties }: Schema): string | undefined {
  return properties ? 'object' : Array.isArray(type) ? type[0] : type;
}

function objectOf(schema: Schema, inner: (part: Schema, name: string) => unknown): unknown {
  const properties = Object.entries(schema.properties ?? {});
  const required = properties.filter(([name]) => schema.required?.includes(name));
  const shown = required.length > 0 ? required : properties.slice(0, 1);
  return Object.fromEntries(shown.map(([name, part]) => [name, inner(part, name)]));
}

function text(name: string): string {
  return name === '' ? 'text' : name.replaceAll(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
}

/** A request to an operation, with example values. */
export type ExampleRequest = {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  form: boolean;
  secured: boolean;
};

export function requestOf(documented: Documented): ExampleRequest {
  const parameters = parametersOf(documented);
  const values = (place: string, all: boolean) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && (all || parameter.required === true))
        .map((parameter) => [parameter.name, parameterExample(documented, parameter)]),
    );
  const body = bodyOf(documented);
  return {
    path: values('path', true),
    query: values('query', false),
    body: body ? exampleOf(documented.of, body.schema) : undefined,
    form: body?.type.includes('form-urlencoded') ?? false,
    secured: (documented.operation.security ?? []).length > 0,
  };
}

function parameterExample(documented: Documented, { name, example, schema = {} }: Parameter): unknown {
  return example ?? exampleOf(documented.of, schema, name);
}

import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;
type Components = { schemas: Json; parameters: Json; responses: Json };

/** Keys whose values are data, not schemas. */
const DATA: readonly string[] = ['const', 'default', 'enum', 'example', 'examples'];
/** The description of a response that consists of problem codes only. */
const CODES = /^`[A-Z_]+`(, `[A-Z_]+`)*$/;

/**
 * Moves the parts that operations share into `components`: schemas that have a `title`, header parameters, and
 * responses that consist of problem codes only.
 * @throws Error if two different parts would get one name
 */
export function withComponents(document: Json): Json {
  const own = Object(document['components']);
  const components: Components = { schemas: { ...own.schemas }, parameters: {}, responses: {} };
  const paths = share(document['paths'], components);
  return { ...document, paths, components: { ...own, ...components } };
}

function share(node: unknown, components: Components): unknown {
  if (Array.isArray(node)) return node.map((item: unknown) => share(item, components));
  if (node === null || typeof node !== 'object') return node;
  const copy: Json = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, DATA.includes(key) ? value : share(value, components)]),
  );
  const { title, ...schema } = copy;
  if (typeof title === 'string') return put(components, 'schemas', { name: title, value: schema });
  const { in: place, name } = copy;
  if (place === 'header' && typeof name === 'string') return put(components, 'parameters', { name, value: copy });
  return isProblem(copy) ? putProblem(components, copy) : copy;
}

function isProblem({ description, content }: Json): boolean {
  const types = Object.keys(Object(content));
  return types.length === 1 && types[0] === 'application/problem+json' && CODES.test(String(description));
}

function putProblem(components: Components, response: Json): Json {
  const codes = [...new Set(String(response['description']).match(/[A-Z_]+/g))];
  const description = codes.map((code) => `\`${code}\``).join(', ');
  return put(components, 'responses', { name: codes.join('.'), value: { ...response, description } });
}

function put(components: Components, kind: keyof Components, { name, value }: { name: string; value: Json }): Json {
  const before = components[kind][name];
  if (before !== undefined && !isDeepStrictEqual(before, value))
    throw new Error(`The OpenAPI description has two different ${kind} named ${name}: give one another title.`);
  components[kind][name] = value;
  return { $ref: `#/components/${kind}/${name}` };
}

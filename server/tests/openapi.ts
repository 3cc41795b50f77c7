import type { TestResponse } from './harness.ts';

type Json = Record<string, unknown>;

/** The line width of a written description. */
const LINE_LENGTH = 160;

/** An OpenAPI description with every `$ref` resolved. No schema contains itself. */
export function dereferenced(document: TestResponse['body']): TestResponse['body'] {
  const known = new Map<string, unknown>();
  const named = (ref: string) => {
    if (!known.has(ref)) {
      const path = ref.slice('#/'.length).split('/');
      const target = path.reduce((node, key) => Object(node)[key], document);
      known.set(ref, resolved(target));
    }
    return known.get(ref);
  };
  const resolved = (node: unknown): unknown => {
    const { $ref } = Object(node);
    return typeof $ref === 'string' ? named($ref) : mapped(node, resolved);
  };
  return resolved(document);
}

/** The same value with all object keys sorted. */
export function sorted(node: unknown): unknown {
  const copy = mapped(node, sorted);
  if (copy === null || typeof copy !== 'object' || Array.isArray(copy)) return copy;
  return Object.fromEntries(Object.entries(copy).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An array or object with each value mapped; other values unchanged. */
function mapped(node: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item: unknown) => change(item));
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries<Json>(Object(node)).map(([key, value]) => [key, change(value)]));
}

/** Compact JSON for review: values that fit share a line, and a container of one value takes no line of its own. */
export function printed(node: unknown, indent = '', used = 0): string {
  const line = JSON.stringify(node);
  if (node === null || typeof node !== 'object' || indent.length + used + line.length < LINE_LENGTH) return line;
  const list = Array.isArray(node);
  const entries = Object.entries(node).map(([key, value]) => ({ key: list ? '' : `${JSON.stringify(key)}: `, value }));
  const [open, close] = list ? '[]' : '{}';
  const [only] = entries;
  if (only && entries.length === 1)
    return `${open}${only.key}${printed(only.value, indent, used + only.key.length + 2)}${close}`;
  const inner = `${indent}  `;
  const lines = entries.map(({ key, value }) => `${inner}${key}${printed(value, inner, key.length + 1)}`);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

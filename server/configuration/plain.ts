/** A value of JSON. */
export type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };
export type Values = { [name: string]: Plain };

export function isValues(value: Plain | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path such as `saml.organizationId`. */
export function valueAt(values: Values, path: string): Plain | undefined {
  let found: Plain | undefined = values;
  for (const name of path.split('.')) found = isValues(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

/** A copy with another value at a path, and perhaps under another name; nothing is added where there is no parent. */
export function replacedAt(values: Values, path: string, { name, value }: { name: string; value: Plain }): Values {
  const [first = '', ...rest] = path.split('.');
  const entries = Object.entries(values).map(([known, inner]): [string, Plain] => {
    if (known !== first) return [known, inner];
    if (rest.length === 0) return [name, value];
    return [known, isValues(inner) ? replacedAt(inner, rest.join('.'), { name, value }) : inner];
  });
  return Object.fromEntries(entries);
}

/** Only some fields, in the order of their names here; those without a value are left out. */
export function picked(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(
    names.flatMap((name): [string, Plain][] => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A copy in which `change` has replaced every string. */
export function mappedStrings(value: Plain, change: (text: string, path: readonly string[]) => string): Plain {
  const mapped = (inner: Plain, path: readonly string[]): Plain => {
    if (typeof inner === 'string') return change(inner, path);
    if (Array.isArray(inner)) return inner.map((item, index) => mapped(item, [...path, String(index)]));
    if (!isValues(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, mapped(item, [...path, name])]));
  };
  return mapped(value, []);
}

/**
 * A value as text that is the same for equal values: the order of keys never matters, that of lists only if `ordered`.
 * Inside objects null, false and what is empty count as absent, as they do in the API.
 */
export function canonical(value: Plain | undefined, ordered: boolean): string {
  return JSON.stringify(comparable(value, ordered) ?? null);
}

function comparable(value: Plain | undefined, ordered: boolean): Plain | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item, ordered) ?? null);
    return ordered ? items : items.map((item) => JSON.stringify(item)).sort();
  }
  if (!isValues(value)) return value;
  const entries = Object.entries(value)
    .map(([name, inner]): [string, Plain | undefined] => [name, comparable(inner, ordered)])
    .filter((entry): entry is [string, Plain] => !isAbsent(entry[1]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

function isAbsent(value: Plain | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

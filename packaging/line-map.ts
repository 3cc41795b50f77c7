/** What a source map says of a file (ECMA-426). */
type SourceMap = { sources: readonly string[]; mappings: string };

/** The place in a source of a line of the code, such as `latchkey/server/hosts/hosts.ts:12`, if it is of an own file. */
export type Places = (line: number) => string | null;

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Reduces a source map to one place for each line of own files: a detailed one is as large as the code.
 * @param nameOf the name of an own file; null for the file of a package
 */
export function lineMap(map: SourceMap, nameOf: (source: string) => string | null): string {
  const names = map.sources.map(nameOf);
  const written = { source: 0, line: 0 };
  let isOwn = false;
  const lines = decoded(map, names).map((place) => {
    if (place === null) {
      const ends = isOwn;
      isOwn = false;
      // The code of a package does not continue the line before it.
      return ends ? 'A' : '';
    }
    isOwn = true;
    const segment = [0, place.source - written.source, place.line - written.line, 0].map(digitsOf).join('');
    Object.assign(written, place);
    return segment;
  });
  return JSON.stringify({ version: 3, sources: names.map((name) => name ?? ''), names: [], mappings: lines.join(';') });
}

/** Reads a source map that {@link lineMap} has made. */
export function placesOf(text: string): Places {
  const map: SourceMap = JSON.parse(text);
  const lines = decoded(map, map.sources);
  const [sources, numbers] = [lines.map((place) => place?.source ?? -1), lines.map((place) => place?.line ?? 0)];
  const [sourceOf, lineOf] = [Int32Array.from(sources), Int32Array.from(numbers)];
  return (line) => {
    const source = map.sources[sourceOf[line - 1] ?? -1];
    return source === undefined ? null : `${source}:${(lineOf[line - 1] ?? 0) + 1}`;
  };
}

type Place = { source: number; line: number };

/** The first place of each line that is in a source with a name. */
function decoded({ mappings }: SourceMap, names: readonly (string | null)[]): (Place | null)[] {
  const last = { source: 0, line: 0 };
  return mappings.split(';').map((segments) => {
    let first: Place | null = null;
    for (const segment of segments.split(',')) {
      const [, source, line] = numbersIn(segment);
      if (source === undefined || line === undefined) continue;
      last.source += source;
      last.line += line;
      if (first === null && typeof names[last.source] === 'string') first = { ...last };
    }
    return first;
  });
}

/** Base64 VLQ: five bits a digit, the lowest first; the sixth says that more follow, and the lowest bit of the number is its sign. */
function numbersIn(segment: string): number[] {
  const numbers: number[] = [];
  let shift = 0;
  let value = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits >= 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function digitsOf(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let digits = '';
  do {
    digits += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>= 5;
  } while (rest > 0);
  return digits;
}

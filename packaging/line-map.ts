import { decode, encode, type SourceMapLine } from '@jridgewell/sourcemap-codec';

/** A source map (ECMA-426). */
type SourceMap = { sources: readonly string[]; mappings: string };

/**
 * Reduces a source map to one place for each line of own files: a detailed one is as large as the code.
 * @param nameOf the name of an own file; null for the file of a package
 */
export function lineMap({ sources, mappings }: SourceMap, nameOf: (source: string) => string | null): string {
  const names = sources.map(nameOf);
  const lines = decode(mappings).map((segments): SourceMapLine => {
    const own = segments.find(([, source = -1]) => typeof names[source] === 'string');
    // A segment without a source: the code of a package does not continue the line before it.
    return own?.length === 4 || own?.length === 5 ? [[0, own[1], own[2], 0]] : [[0]];
  });
  return JSON.stringify({ version: 3, sources: names.map((name) => name ?? ''), names: [], mappings: encode(lines) });
}

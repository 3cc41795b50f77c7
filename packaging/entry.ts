import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/**
 * The first file of a release. Stack traces name the file and the line of the source. The source map is read when an error is first
 * shown; with its own support for them, Node.js would read all of them at each start.
 */
const FOLDER = new URL('.', import.meta.url).href;
const PLACE = /(file:\/\/\S+?\.js):(\d+):\d+/g;
const maps = new Map<string, SourceMap>();

function inSource(place: string, file: string, line: string): string {
  if (!file.startsWith(FOLDER)) return place;
  const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  maps.set(file, map);
  const found = map.findEntry(Number(line) - 1, 0);
  return 'originalSource' in found && found.originalSource
    ? `${found.originalSource}:${found.originalLine + 1}`
    : place;
}

const { prepareStackTrace } = Error;
Error.prepareStackTrace = (error, frames) => {
  const text = String(prepareStackTrace?.(error, frames));
  try {
    return text.replaceAll(PLACE, inSource);
  } catch {
    // Without its map, the place in the file itself has to do.
    return text;
  }
};

export const { run } = await import('../server/main.ts');

import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { lineMap } from './line-map.ts';

/** Packages with native code, or that another package uses if it is installed. */
const NOT_BUNDLED = /^(?:@node-rs\/|pg-native$|typescript$)/;
const PACKAGE = /^(?:@[\w-]+\/)?[a-z]/;
/** What a source says of its own place: its address, its folder, or a program beside it that it starts. */
const PLACE = /new URL\('(?<program>[\w-]+)\.ts', import\.meta\.url\)|import\.meta\.(?<property>url|dirname)\b/g;
/** Any other name of a TypeScript file in a string. Plain backticks are left out, because comments use them. */
const NAMED = /'[^'\s]*\.ts'|"[^"\s]*\.ts"|`[^`\s]*\$\{[^`\s]*\.ts`/;
const IMPORTED = /\b(?:from|import|module)(?:\s+|\(\s*)'[^']+'/g;
/** What the bundler reports of packages: they import each other in circles, and one evaluates text. */
const EXPECTED = ['CIRCULAR_DEPENDENCY', 'EVAL'];
/** Node.js keeps a source in two bytes a character if one of its characters needs them. */
const WIDE = /[\u0100-\uffff]/g;

/**
 * Bundles a program, with the packages that it imports statically, into a few files in one folder. Packages that it loads at
 * first use stay packages. Each file has a source map, which names the lines of the program's own files.
 * @param program `entry` becomes `main.js`; `sources` is the folder of its own files, which find what they read by path in `out`
 * @throws Error if a source names a TypeScript file in a way that is not understood
 */
export async function bundle({ entry, sources }: { entry: string; sources: string }, out: string): Promise<void> {
  const build = await rolldown({
    input: { main: entry },
    platform: 'node',
    tsconfig: false,
    plugins: [firstUse, plainHttp, places(sources)],
    onLog: (_level, { code = '', message }) => {
      if (!EXPECTED.includes(code)) throw new Error(`${code}: ${message}`);
    },
  });
  const { output } = await build.generate({
    dir: out,
    sourcemap: 'hidden',
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[hash].js',
  });
  await build.close();
  mkdirSync(out, { recursive: true });
  for (const file of output) {
    if (file.type !== 'chunk') continue;
    const { fileName, code, map } = file;
    const narrow = code.replaceAll(WIDE, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`);
    writeFileSync(join(out, fileName), map === null ? narrow : `${narrow}\n//# sourceMappingURL=${fileName}.map\n`);
    if (map === null) continue;
    const nameOf = (source: string) => {
      const place = ownFile(sources, resolve(out, source));
      return place && `latchkey/${basename(sources)}/${place}`;
    };
    writeFileSync(join(out, `${fileName}.map`), lineMap(map, nameOf));
  }
}

/** The path of an own file in the folder of sources; null for a file of a package. */
function ownFile(sources: string, path: string): string | null {
  const place = relative(sources, path).replaceAll('\\', '/');
  return place.startsWith('..') || place.includes('node_modules') ? null : place;
}

/** Packages that are imported dynamically stay packages. */
const firstUse: Plugin = {
  name: 'first-use',
  resolveId(id, _importer, { kind }) {
    return NOT_BUNDLED.test(id) || (kind === 'dynamic-import' && PACKAGE.test(id)) ? { id, external: true } : null;
  },
};

const HTTP = 'plain-http';

/**
 * A module that imports `node:http` makes Node.js read all that it exports, also what loads the client behind `fetch`: 11 MB and 40 ms
 * of each start.
 */
const plainHttp: Plugin = {
  name: HTTP,
  resolveId(id, _importer, { kind }) {
    return /^(?:node:)?http$/.test(id) && kind === 'import-statement' ? { id: HTTP } : null;
  },
  load(id) {
    if (id !== HTTP) return null;
    const properties = Object.entries(Object.getOwnPropertyDescriptors(http));
    const names = properties.filter(([, { get }]) => get === undefined).map(([name]) => name);
    return `const http = process.getBuiltinModule('node:http');
      export default http;
      export const { ${names.join(', ')} } = http;`;
  },
};

/** Tells each file where it was, and makes the programs that it starts. */
function places(sources: string): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      const place = ownFile(sources, id);
      if (!place?.endsWith('.ts')) return null;
      const moved = code.replaceAll(PLACE, (_all, program: string | undefined, property: string) => {
        if (property === 'url') return `new URL('${place}', import.meta.url).href`;
        if (property === 'dirname') return `(import.meta.dirname + '/${dirname(place)}')`;
        this.emitFile({ type: 'chunk', id: join(dirname(id), `${program}.ts`), fileName: `${program}.js` });
        return `new URL('${program}.js', import.meta.url)`;
      });
      const left = NAMED.exec(moved.replaceAll(`'${place}'`, '').replaceAll(IMPORTED, ''));
      if (left) throw new Error(`${place} names ${left[0]}, which does not exist in a release`);
      return { code: moved, map: null };
    },
  };
}

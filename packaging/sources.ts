import { glob } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

type File = { path: string; text: string };

/** The name of a TypeScript file in code that imports or starts it. */
const LOADED = /((?:\bfrom|\bimport)\s*\(?\s*|new URL\(\s*)'([#\w./-]+)\.ts'/g;
/** Any other name of a TypeScript file in a string. Plain backticks are left out, because comments use them. */
const ANY_NAME = /'[^'\s]*\.ts'|"[^"\s]*\.ts"|`[^`\s]*\$\{[^`\s]*\.ts`/;
const TESTS = /node_modules|server\/tests|\.test\.ts$/;

/** The files of the server that a release contains, except its manifest. */
export async function sourcesOf(root: string): Promise<string[]> {
  const paths = await Array.fromAsync(
    glob(['server/**/*.{ts,js,mjs,sql}', 'server/configuration/schemas/*.json'], {
      cwd: root,
      exclude: (path) => TESTS.test(path.replaceAll('\\', '/')),
    }),
  );
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}

/**
 * What stands in a release for a file. Types become spaces and `.ts` becomes `.js`, so every statement keeps its line and column.
 * Stack traces name the TypeScript file without reading source maps, which makes a start half as long again.
 * @throws Error if the file names a TypeScript file in a way that is not understood
 */
export function compiled(path: string, text: string): File {
  if (!/\.(ts|mjs)$/.test(path)) return { path, text };
  const typed = path.endsWith('.ts');
  const code = (typed ? stripTypeScriptTypes(text) : text).replaceAll(LOADED, "$1'$2.js'");
  const left = ANY_NAME.exec(code);
  if (left) throw new Error(`${path} names ${left[0]}, which does not exist in a release`);
  if (!typed) return { path, text: code };
  const trailer = `//# sourceURL=latchkey/${path}\n//# sourceMappingURL=data:application/json;base64,${identityMap(path, code)}\n`;
  return { path: path.replace(/\.ts$/, '.js'), text: `${code}\n${trailer}` };
}

/** A source map (ECMA-426) that maps every line to the line with the same number. */
function identityMap(path: string, code: string): string {
  const lines = code.split('\n').length;
  const map = {
    version: 3,
    sources: [`latchkey/${path}`],
    names: [],
    // The first line begins at 0, and each further one a line below the one before.
    mappings: ['AAAA', ...Array.from({ length: lines - 1 }, () => 'AACA')].join(';'),
  };
  return Buffer.from(JSON.stringify(map)).toString('base64');
}

import { glob } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';

type File = { path: string; text: string };

const TESTS = /node_modules|server\/tests|\.test\.ts$/;

/** The files of the server that a release has beside its program: those that the program reads by their path. */
export async function filesOf(root: string): Promise<string[]> {
  const patterns = ['server/**/*.{js,mjs,sql}', 'server/migrations/[0-9]*.ts', 'server/configuration/schemas/*.json'];
  const paths = await Array.fromAsync(
    glob(patterns, { cwd: root, exclude: (path) => TESTS.test(path.replaceAll('\\', '/')) }),
  );
  return paths.map((path) => path.replaceAll('\\', '/')).sort();
}

/** What stands in a release for such a file. A migration imports nothing. */
export function released(path: string, text: string): File {
  if (path.endsWith('.mjs')) return { path, text: text.replace("'./main.ts'", "'./main.js'") };
  if (!path.endsWith('.ts')) return { path, text };
  return { path: path.replace(/\.ts$/, '.js'), text: stripTypeScriptTypes(text) };
}

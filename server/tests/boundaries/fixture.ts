import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SERVER } from './sources.ts';

const ROOT = resolve(SERVER, '..');

/** The settings of the checks and the imports map, the same that `npm test` uses. */
const SETTINGS = [
  'biome.json',
  'knip.json',
  'tsconfig.json',
  'package.json',
  'server/package.json',
  'bench/package.json',
];

/** The programs behind the names; Node runs them directly, without a shell. */
const PROGRAMS = { biome: '@biomejs/biome/bin/biome', knip: 'knip/bin/knip.js', tsc: 'typescript/bin/tsc' };

/** A small copy of the project with planted files. */
export type Fixture = {
  folder: string;
  run: (program: keyof typeof PROGRAMS, ...args: string[]) => Promise<{ status: number; output: string }>;
  remove: () => Promise<void>;
};

/**
 * Creates a project with the real settings and only these files.
 * @param files path from the root → text
 */
export async function plant(files: Record<string, string>): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-boundaries-'));
  await Promise.all(SETTINGS.map((path) => cp(join(ROOT, path), join(folder, path))));
  await Promise.all(
    Object.entries(files).map(async ([path, text]) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }),
  );
  return {
    folder,
    run: (program, ...args) => execute(folder, join(ROOT, 'node_modules', PROGRAMS[program]), args),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function execute(cwd: string, script: string, args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((done, fail) => {
    execFile(process.execPath, [script, ...args], { cwd, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') fail(error);
      else done({ status: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` });
    });
  });
}

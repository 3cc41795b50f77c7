import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

/** `output` is standard output and standard error. */
type Ran = { code: number | null; stdout: string; output: string };
export type Running = { child: ChildProcess; output: () => string; ended: Promise<Ran> };
type Place = { cwd: string; settings?: Record<string, string> };

/** Variables of the tests' own environment, which started programs must not inherit. */
const OURS = /^(LATCHKEY|DATABASE_URL|NODE_COMPILE_CACHE)/;

/** Starts a program. Those named `node`, `npm` and `npx` use the Node.js of the tests. */
export function start(program: string, args: string[], { cwd, settings = {} }: Place): Running {
  const others = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(others), PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => ({ code, stdout, output })) };
}

/**
 * Runs a program to its end.
 * @returns its standard output, without the warnings that it printed
 * @throws Error with all that it printed, unless it ends with 0
 */
export async function run(program: string, args: string[], place: Place): Promise<string> {
  const { code, stdout, output } = await start(program, args, place).ended;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`);
  return stdout;
}

/** Builds the folder of a release. */
export async function buildRelease(folder: string): Promise<void> {
  await run('node', ['--disable-warning=ExperimentalWarning', 'packaging/build.ts', folder], {
    cwd: dirname(import.meta.dirname),
  });
}

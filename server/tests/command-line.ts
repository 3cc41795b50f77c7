import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { mock } from 'node:test';
// biome-ignore lint/style/noRestrictedImports: the program belongs to no part
import { run } from '../main.ts';

/** The program. */
export const ENTRY = resolve(import.meta.dirname, '../latchkey.mjs');

export type Ran = { status: number; output: string; errors: string };

/** Runs a command to its end in a process of its own, with exactly these settings as its environment. */
export function spawnLatchkey(args: readonly string[], settings: Record<string, string>): Promise<Ran> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [ENTRY, ...args],
      { env: environmentOf(settings), maxBuffer: 50_000_000 },
      (error, output, errors) => done({ status: error === null ? 0 : Number(error.code ?? -1), output, errors }),
    );
  });
}

/** {@link spawnLatchkey} with its standard output in a file, as in a pipe. */
export async function pipeLatchkey(
  args: readonly string[],
  settings: Record<string, string>,
  path: string,
): Promise<Omit<Ran, 'output'>> {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [errors, [status]] = await Promise.all([
    text(child.stderr),
    once(child, 'close'),
    pipeline(child.stdout, createWriteStream(path)),
  ]);
  return { status: Number(status), errors };
}

function environmentOf(settings: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...settings,
  };
}

class Exit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit with ${status}`);
    this.status = status;
  }
}

/**
 * Runs a command to its end in this process, one at a time, with these settings as its configuration file: a process of
 * its own takes longer to load than most commands take.
 */
export async function runLatchkey(args: readonly string[], settings: Record<string, string>): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-command-'));
  const config = join(folder, 'settings.json');
  await writeFile(config, JSON.stringify(settings));
  const [output, errors] = [captured(process.stdout), captured(process.stderr)];
  const exit = mock.method(process, 'exit', (code?: number) => {
    throw new Exit(code ?? 0);
  });
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    const thrown = await run(['--config', config, ...args]).then(
      () => null,
      (error: unknown) => error,
    );
    if (thrown !== null && !(thrown instanceof Exit)) throw thrown;
    return { status: thrown?.status ?? Number(process.exitCode), output: output.text(), errors: errors.text() };
  } finally {
    process.exitCode = before;
    exit.mock.restore();
    output.release();
    errors.release();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Captures what is written to a stream, instead of writing it. */
function captured(stream: NodeJS.WriteStream): { text: () => string; release: () => void } {
  let text = '';
  const write = mock.method(stream, 'write', (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  });
  return { text: () => text, release: () => write.mock.restore() };
}

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './harness.ts';
import { freePort } from './ports.ts';

/** The version of the PgBouncer of this machine, such as 1.21; null if there is none. */
export function pgbouncerVersion(): number | null {
  try {
    const [, version] =
      /^PgBouncer (\d+\.\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' })) ?? [];
    return version === undefined ? null : Number(version);
  } catch {
    return null;
  }
}

/** Starts a PgBouncer in front of a server. */
export async function startPgbouncer(
  databaseUrl: string,
  mode: 'transaction' | 'session',
): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20
`,
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const child = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'postgres'] : []), file], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await eventually(async () => assert.ok(await isOpen(Number(port))));
  const url = new URL(databaseUrl);
  url.port = port;
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

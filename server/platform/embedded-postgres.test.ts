import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { eventually } from '#tests/harness.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { socketDirOf } from './postgres-socket.ts';
import { identityOf } from './processes.ts';
import { StartError } from './start-error.ts';

const SERVER = resolve(import.meta.dirname, '..');

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** Listens on a free port. */
async function occupyPort(): Promise<{ port: number; free: () => void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return { port: address.port, free: () => server.close() };
}

describe('the embedded PostgreSQL', () => {
  let folder: string;
  const progress: string[] = [];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-embedded-'));
    chmodSync(folder, 0o711);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const start = (port = 0): Promise<EmbeddedPostgres> => {
    progress.length = 0;
    return startEmbeddedPostgres({
      dataDir: folder,
      port,
      database: 'latchkey',
      progress: (line) => progress.push(line),
    });
  };
  const serverPid = () => Number.parseInt(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8'), 10);

  /** Starts the database in another process. */
  const startInAnotherProcess = async () => {
    const script = `
      const { startEmbeddedPostgres } = await import('#platform/embedded-postgres.ts');
      const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder)}, port: 0, database: 'latchkey', progress: () => undefined });
      console.log(server.url);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: SERVER,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(holder.stdout, 'data');
    const pid = serverPid();
    const supervisor = Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
    return { holder, url: String(url).trim(), pid, supervisor };
  };

  test('an interrupted first start leaves nothing that the next start would use', async () => {
    const unfinished = join(folder, `postgres.unfinished-${2 ** 22 + 1}`);
    mkdirSync(unfinished);
    writeFileSync(join(unfinished, 'PG_VERSION'), '18\n');
    const server = await start();
    assert.deepEqual(progress, ['Making the embedded PostgreSQL database (first start)']);
    assert.equal(existsSync(unfinished), false);
    assert.deepEqual(await query(server.url, 'select current_database()'), ['latchkey']);
    await server.stop();
    await server.ended;
  });

  test('sorts by code point in UTF-8 on every machine, and requires a password', async () => {
    const server = await start();
    const settings = `select datcollate, pg_encoding_to_char(encoding), current_setting('lc_messages') from pg_database where datname = 'latchkey'`;
    assert.deepEqual(await query(server.url, settings), ['C', 'UTF8', 'C']);
    for (const url of [server.url, server.socketUrl]) {
      const wrong = new URL(url);
      wrong.password = 'wrong';
      // biome-ignore lint/performance/noAwaitInLoops: two addresses of one server
      await assert.rejects(query(wrong.href, 'select 1'), /password authentication failed/);
    }
    assert.equal(statSync(join(folder, 'postgres-password')).mode & 0o777, 0o600);
    await server.stop();
  });

  test('has a socket in a folder that only its user can enter, if the path is short enough', async () => {
    const server = await start();
    assert.deepEqual(await query(server.socketUrl, 'select inet_client_addr()'), [null]);
    assert.deepEqual(await query(server.url, 'select inet_client_addr()'), ['127.0.0.1']);
    const socketDir = new URL(server.socketUrl).searchParams.get('host') ?? '';
    assert.equal(statSync(socketDir).mode & 0o077, 0);
    await server.stop();
    assert.equal(socketDirOf(`/${'long/'.repeat(20)}postgres`), '');
  });

  test('no process has the password among its arguments', async () => {
    const server = await start();
    const { password } = new URL(server.url);
    assert.ok(!execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(password));
    await server.stop();
  });

  test('keeps its data over a restart, and listens on the requested port', async () => {
    const { port, free } = await occupyPort();
    free();
    const first = await start(port);
    assert.equal(new URL(first.url).port, String(port));
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    await first.stop();
    const second = await start(port);
    assert.deepEqual(progress, []);
    assert.deepEqual(await query(second.url, 'select answer from kept'), [42]);
    await second.stop();
  });

  test('if its port is in use, takes another and reports it', async (t) => {
    const { port, free } = await occupyPort();
    t.after(free);
    const server = await start(port);
    const { port: other } = new URL(server.url);
    assert.deepEqual(progress, [`Port ${port} is taken; the database listens on ${other} this time`]);
    assert.deepEqual(await query(server.url, 'select 1'), [1]);
    await server.stop();
  });

  test('parent killed with -9: no PostgreSQL stays behind', async () => {
    const { holder, pid, supervisor } = await startInAnotherProcess();
    holder.kill('SIGKILL');
    await eventually(async () => assert.deepEqual([identityOf(pid), identityOf(supervisor)], [null, null]));
    assert.match(readFileSync(join(folder, 'postgres.log'), 'utf8').trimEnd(), /database system is shut down$/);
  });

  test('parent and supervisor killed with -9: the next start stops the orphaned server and takes over', async () => {
    const { holder, url, pid, supervisor } = await startInAnotherProcess();
    await query(url, 'create table left_behind as select 7 as seven');
    process.kill(supervisor, 'SIGKILL');
    holder.kill('SIGKILL');
    const server = await start();
    assert.deepEqual(progress, [`Waiting for the PostgreSQL of the former start to end (pid ${pid})`]);
    assert.equal(identityOf(pid), null);
    assert.deepEqual(await query(server.url, 'select seven from left_behind'), [7]);
    await server.stop();
  });

  test('server killed: the parent is notified, and a restart has all committed data', async () => {
    const server = await start();
    await query(server.url, 'create table committed as select 1 as one');
    process.kill(serverPid(), 'SIGKILL');
    await server.ended;
    await server.stop();
    const again = await eventually(() => start());
    assert.deepEqual(await query(again.url, 'select one from committed'), [1]);
    await again.stop();
  });

  test('after a machine crash the pid of the server belongs to another program: it starts all the same', async () => {
    writeFileSync(join(folder, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(folder, 'postgres')}\n`);
    const server = await start();
    assert.deepEqual(await query(server.url, 'select 1'), [1]);
    await server.stop();
  });

  test('if it does not start, the error quotes the server and names the log', async () => {
    const settings = join(folder, 'postgres', 'postgresql.auto.conf');
    const before = readFileSync(settings, 'utf8');
    appendFileSync(settings, "shared_buffers = 'a lot'\n");
    await assert.rejects(start(), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /shared_buffers/);
      assert.ok(error.message.includes(join(folder, 'postgres.log')));
      return true;
    });
    writeFileSync(settings, before);
  });

  test('if the password is lost, it creates no new one, which would open nothing', async () => {
    rmSync(join(folder, 'postgres-password'));
    await assert.rejects(start(), /The password of the database is missing: .*postgres-password/);
  });

  test('as root, the error names the folder that the database user cannot enter', {
    skip: process.getuid?.() !== 0 && 'not root',
  }, async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const starting = startEmbeddedPostgres({
      dataDir: join(closed, 'data'),
      port: 0,
      database: 'x',
      progress: () => undefined,
    });
    await assert.rejects(
      starting,
      (error) => error instanceof StartError && error.message.includes(`chmod o+x ${closed}`),
    );
  });
});

describe('a temporary PostgreSQL', () => {
  test('removes its folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-thrown-away-'));
    chmodSync(folder, 0o711);
    const server = await startEmbeddedPostgres({
      dataDir: folder,
      port: 0,
      database: 'x',
      progress: () => undefined,
      throwAway: true,
    });
    await server.stop();
    assert.equal(existsSync(folder), false);
  });
});

import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { identityOf } from '#platform/processes.ts';
import { runLatchkey, spawnLatchkey } from '#tests/command-line.ts';
import { eventually } from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';
import { cloneDatabase, emptyDatabase } from '#tests/postgres.ts';

const ENTRY = resolve(import.meta.dirname, '../latchkey.mjs');

type Run = { child: ChildProcess; output: () => string; exit: Promise<number | null> };

function latchkey(args: string[], settings: Record<string, string> = {}): Run {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...settings,
  };
  return watched(spawn(process.execPath, [ENTRY, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

function watched(child: ChildProcessByStdio<null, Readable, Readable>): Run {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  return { child, output: () => output, exit: once(child, 'close').then(([code]) => code) };
}

/** Waits until the process has printed the text; fails if it exits first. */
async function printed({ child, output }: Run, text: string): Promise<void> {
  await eventually(async () => {
    if (child.exitCode !== null) return;
    assert.ok(output().includes(text), output());
  });
  assert.ok(output().includes(text), output());
}

describe('latchkey serve, with the embedded database', () => {
  let folder: string;
  let base: number;
  let first: Run;
  const settings = () => ({
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    LATCHKEY_PORT_BASE: String(base),
    LATCHKEY_LOG_LEVEL: 'silent',
  });
  const databasePid = async () =>
    Number.parseInt(await readFile(join(folder, 'data', 'postgres', 'postmaster.pid'), 'utf8'), 10);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-serve-'));
    await chmod(folder, 0o711);
    base = await freePortBase();
    first = latchkey(['serve'], settings());
    await printed(first, 'Ready in');
  });
  after(async () => {
    first.child.kill();
    await first.exit;
    await rm(folder, { recursive: true, force: true });
  });

  test('a first start prints addresses and credentials to paste, and writes them to demo.json', async () => {
    const path = join(folder, 'data', 'demo.json');
    const demo = JSON.parse(await readFile(path, 'utf8'));
    const { test: environment } = demo.environments;
    for (const line of [
      `console      http://localhost:${base} `,
      `production   auth http://localhost:${base + 11}    API http://localhost:${base + 12}\n`,
      `\nexport AUTH_URL=${environment.authUrl} API_URL=${environment.apiUrl}\n`,
      `\nexport MANAGEMENT_CLIENT_SECRET=${environment.managementClientSecret}\n`,
      path,
    ])
      assert.ok(first.output().includes(line), `${line} in ${first.output()}`);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  test('a first start makes two organizations, which the start page leads into as their owner', async () => {
    const demo = JSON.parse(await readFile(join(folder, 'data', 'demo.json'), 'utf8'));
    const { organizations, authUrl, apiUrl, clientId, owner } = demo.environments.test;
    const page = await (await fetch(`http://localhost:${base}/`)).text();
    for (const { slug } of organizations) assert.ok(page.includes(`"/dev/app?organization=${slug}"`), page);
    const left = await fetch(`http://localhost:${base}/dev/app?organization=acme`, { redirect: 'manual' });
    const { searchParams } = new URL(left.headers.get('location') ?? '');
    assert.equal(searchParams.get('organization'), 'acme');
    const signedIn = await fetch(`${authUrl}/v1/auth/login/password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, identifier: owner.email, password: owner.password }),
    });
    const { access_token: token } = Object(await signedIn.json());
    const mine = await fetch(`${apiUrl}/v1/me/organizations`, { headers: { authorization: `Bearer ${token}` } });
    const items: { slug: string; roles: string[] }[] = Object(await mine.json()).items;
    assert.deepEqual(Object.fromEntries(items.map(({ slug, roles }) => [slug, roles])), {
      acme: ['owner'],
      globex: ['admin'],
    });
  });

  test('commands work on its database while it runs', async () => {
    const listed = await runLatchkey(['keys', 'list', '--json'], settings());
    assert.equal(JSON.parse(listed.output).keys.length, 4, listed.errors);
    const file = join(folder, 'backup.zip');
    const { status, errors } = await spawnLatchkey(['backup', file], settings());
    assert.equal(status, 0, errors);
    const verified = await runLatchkey(['restore', file, '--verify'], { ...settings(), LATCHKEY_LOG_LEVEL: 'warn' });
    assert.match(verified.output, /can be restored/);
    assert.doesNotMatch(verified.errors, /lost/, 'nothing that looks like a fault');
    const people = join(folder, 'people.ndjson');
    await writeFile(people, '{"email":"meanwhile@example.com"}\n');
    const imported = await runLatchkey(['import', people, '--json'], settings());
    assert.equal(JSON.parse(imported.output).created, 1, imported.errors);
    const exported = await spawnLatchkey(['export'], settings());
    assert.match(exported.output, /meanwhile@example\.com/, exported.errors);
    const migrated = await runLatchkey(['migrate', '--json'], settings());
    assert.ok(JSON.parse(migrated.output).schema >= 12, migrated.errors);
  });

  test('a second start names the running process, and exits with 1', async () => {
    const second = latchkey([], settings());
    assert.equal(await second.exit, 1);
    assert.ok(
      second
        .output()
        .includes(`Latchkey is already running (pid ${first.child.pid}, console http://localhost:${base})`),
      second.output(),
    );
  });

  test('a killed database is restarted at the same address, and Latchkey becomes ready again', async () => {
    const pid = await databasePid();
    process.kill(pid, 'SIGKILL');
    await printed(first, 'The embedded PostgreSQL runs again.');
    assert.notEqual(await databasePid(), pid);
    await eventually(async () => assert.equal((await fetch(`http://localhost:${base + 90}/readyz`)).status, 200));
  });

  test('BI-6 Ctrl-C ends everything, including the database; the next start finds its data', async () => {
    const pid = await databasePid();
    first.child.kill('SIGINT');
    assert.equal(await first.exit, 0);
    assert.match(first.output(), /Stopping…\nStopped\.\n$/);
    assert.equal(identityOf(pid), null);
    base = await freePortBase();
    first = latchkey(['serve', '--roles', 'api,worker'], settings());
    await printed(first, 'Ready in');
    assert.ok(!first.output().includes('export '), first.output());
    assert.match(first.output(), /roles {8}api, worker\n/);
    await assert.rejects(fetch(`http://localhost:${base + 1}/`), 'the auth host is not among the roles');
    assert.equal((await fetch(`http://localhost:${base + 2}/api/status/summary`)).status, 200);
  });

  test('when nobody reads what it prints any longer, it serves on and ends in order', async () => {
    const pid = await databasePid();
    first.child.stdout?.destroy();
    first.child.stderr?.destroy();
    // The server restarts its killed database, and prints that.
    process.kill(pid, 'SIGKILL');
    await eventually(async () => assert.notEqual(await databasePid(), pid));
    await eventually(async () => assert.equal((await fetch(`http://localhost:${base + 90}/readyz`)).status, 200));
    const restarted = await databasePid();
    first.child.kill('SIGTERM');
    assert.equal(await first.exit, 0);
    assert.equal(identityOf(restarted), null);
    base = await freePortBase();
    first = latchkey(['serve', '--roles', 'api,worker'], settings());
    await printed(first, 'Ready in');
  });

  test('after a change of ports, operators are redirected to the current address of the console', async () => {
    first.child.kill('SIGINT');
    await first.exit;
    base = await freePortBase();
    first = latchkey(['serve'], settings());
    await printed(first, 'Ready in');
    const leaving = await fetch(`http://localhost:${base}/console/v1/sign-in?returnTo=/console/`, {
      redirect: 'manual',
    });
    const redirected = await fetch(leaving.headers.get('location') ?? '', { redirect: 'manual' });
    assert.equal(redirected.status, 303, await redirected.text());
    assert.ok(!redirected.headers.get('location')?.includes('error'), redirected.headers.get('location') ?? '');
  });
});

describe('with LATCHKEY_LOG_FORMAT=json, everything that a process prints is a JSON line', () => {
  /** Checks that every line has a level and a time, and returns the messages. */
  const messages = ({ output }: Run) =>
    output()
      .trimEnd()
      .split('\n')
      .map((text) => {
        const line = JSON.parse(text);
        assert.ok(Number.isInteger(line.level) && Math.abs(Date.now() - line.time) < 3_600_000, text);
        return `${line.level} ${line.msg}`;
      });

  test('from the wait for a lock to the end', async (t) => {
    const { url, drop } = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    const migrating = new pg.Client({ connectionString: url });
    await migrating.connect();
    await migrating.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    const run = latchkey(['serve', '--roles', 'api'], {
      DATABASE_URL: url,
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_PORT_BASE: String(await freePortBase()),
      LATCHKEY_DRAIN_SECONDS: '1',
      LATCHKEY_LOG_FORMAT: 'json',
      LATCHKEY_MODE: 'production',
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
    });
    t.after(async () => {
      run.child.kill('SIGKILL');
      await run.exit;
      await drop();
    });
    await printed(run, 'Waiting for another process');
    await migrating.end();
    await printed(run, 'Ready in');
    run.child.kill('SIGTERM');
    assert.equal(await run.exit, 0);
    const found = messages(run);
    for (const expected of [
      /^30 Starting Latchkey \(production\)…$/,
      /^30 Waiting for another process that migrates the database…$/,
      /^30 Migrating the database: foundation \(1 of \d+\)$/,
      /^30 Serving$/,
      /^30 Nobody owns this installation yet\. "latchkey admin create-owner" prints the link to become its owner\.$/,
      /^30 Ready in [\d.]+ s\. /,
      /^30 Not ready any longer, and serving for 1 s…$/,
      /^30 Stopping…$/,
      /^30 Stopped\.$/,
    ])
      assert.equal(found.filter((message) => expected.test(message)).length, 1, `${expected} in ${run.output()}`);
    const serving = run
      .output()
      .split('\n')
      .find((line) => line.includes('"Serving"'));
    assert.deepEqual(JSON.parse(serving ?? '').roles, ['api']);
  });

  test('faults of the configuration, of the database and of the command line', async () => {
    const json = { LATCHKEY_LOG_FORMAT: 'json' };
    for (const [run, status, expected] of [
      [latchkey(['serve', '--roles', 'auht'], json), 1, /^60 The configuration has 1 fault:\n {2}- LATCHKEY_ROLES /],
      [latchkey(['serve', '--rolls', 'auth'], json), 2, /^60 error: unknown option '--rolls'/],
      [
        latchkey(['migrate'], {
          ...json,
          DATABASE_URL: 'postgres://me@127.0.0.1:1/x',
          LATCHKEY_SECRET: 'a secret of the tests that is long enough',
          LATCHKEY_MODE: 'production',
          LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
        }),
        1,
        /^60 .*ECONNREFUSED/,
      ],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one result after the other
      assert.equal(await run.exit, status, run.output());
      const [first = '', ...others] = messages(run);
      assert.match(first, expected);
      assert.deepEqual(others, []);
    }
  });

  test('warnings of Node.js, and errors that nothing catches', async () => {
    const program = `
      import { announceFaultsOfNode } from ${JSON.stringify(resolve(import.meta.dirname, 'announcer.ts'))};
      announceFaultsOfNode({});
      process.emitWarning('as planned');
      setImmediate(() => Promise.reject(new Error('nobody caught it')));`;
    const run = watched(
      spawn(process.execPath, ['--input-type=module', '--eval', program], {
        env: { LATCHKEY_LOG_FORMAT: 'json' },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    assert.equal(await run.exit, 1);
    assert.deepEqual(messages(run), ['40 as planned', '60 an error that nothing caught ends the process']);
    assert.match(run.output(), /nobody caught it/);
  });
});

describe('latchkey on the command line', () => {
  test('an unknown command, option or argument exits with 2 and lists the commands', async () => {
    for (const [args, complaint] of [
      [['serv'], "unknown command 'serv'\n(Did you mean serve?)"],
      [['constructor'], "unknown command 'constructor'"],
      [['serve', '--role', 'auth'], "unknown option '--role'\n(Did you mean --roles?)"],
      [['migrate', 'now'], "too many arguments for 'migrate'"],
    ] as const) {
      const run = latchkey([...args]);
      // biome-ignore lint/performance/noAwaitInLoops: one process at a time spares the machine
      assert.equal(await run.exit, 2);
      assert.ok(run.output().includes(complaint), run.output());
      assert.match(run.output(), /Usage: latchkey/);
    }
  });

  test('help and version', async () => {
    const help = latchkey(['help']);
    assert.equal(await help.exit, 0);
    assert.match(help.output(), /^Usage: latchkey.*serve .*migrate .*quickstart .*help /s);
    const version = latchkey(['--version']);
    assert.equal(await version.exit, 0);
    assert.match(version.output(), /^\d+\.\d+\.\d+\n$/);
  });

  test('faults of the configuration exit with 1 and print no trace', async () => {
    const run = latchkey(['serve', '--roles', 'auht'], { LATCHKEY_PORT_BASE: 'x' });
    assert.equal(await run.exit, 1);
    assert.match(
      run.output(),
      /^The configuration has 2 faults:\n {2}- LATCHKEY_PORT_BASE .*\n {2}- LATCHKEY_ROLES .*\n$/,
    );
  });

  test('an unreachable database server exits with 1 and prints the remedy', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-migrate-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const run = latchkey(['migrate'], {
      DATABASE_URL: 'postgres://me@127.0.0.1:1/x',
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_DATA_DIR: folder,
      LATCHKEY_MODE: 'development',
    });
    assert.equal(await run.exit, 1);
    assert.match(run.output(), /ECONNREFUSED.*Start it, or correct DATABASE_URL\.\n$/);
  });

  test('migrate updates a database to this version’s schema and exits; it can be repeated', async (t) => {
    const database = await cloneDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    t.after(() => database.drop());
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-migrate-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const run = latchkey(['migrate'], {
      DATABASE_URL: database.url,
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      LATCHKEY_DATA_DIR: folder,
    });
    assert.equal(await run.exit, 0);
    assert.match(run.output(), /The database has the schema of this version\.\n$/);
  });

  test('keys are listed and rotated from the command line', async (t) => {
    const database = await cloneDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
    t.after(() => database.drop());
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-keys-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const keys = (...words: string[]) =>
      runLatchkey(['keys', ...words], {
        DATABASE_URL: database.url,
        LATCHKEY_SECRET: 'a secret of the tests that is long enough',
        LATCHKEY_DATA_DIR: folder,
      });
    const rotated = await keys('rotate');
    assert.equal(rotated.status, 0, rotated.errors);
    const listed = await keys('list');
    assert.equal(listed.status, 0, listed.errors);
    assert.equal(listed.output, rotated.output);
    assert.match(listed.output, /^environment +algorithm +id +state +signs from +published until\n/);
    assert.equal(listed.output.match(/published ahead/g)?.length, 4);
    const alone = await keys('rotate', '--retire', 'key_1');
    assert.equal(alone.status, 1);
    assert.match(alone.errors, /add --now/);
    const unknown = await keys('rotate', '--now', '--retire', 'key_1');
    assert.equal(unknown.status, 1);
    assert.match(unknown.errors, /no published key key_1/);
    const replaced = await keys('rotate', '--now');
    assert.equal(replaced.status, 0, replaced.errors);
    assert.equal(replaced.output.match(/published ahead/g), null, 'the keys published ahead are gone');
    assert.equal(replaced.output.match(/ signs {2,}/g)?.length, 4, 'the new keys sign');
    assert.equal((await keys('burn')).status, 2);
  });
});

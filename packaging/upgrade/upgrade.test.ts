import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectAlone } from '../../server/platform/connections.ts';
import { eventually } from '../../server/tests/harness.ts';
import { freePortBase } from '../../server/tests/ports.ts';
import { emptyDatabase } from '../../server/tests/postgres.ts';
import { type Receiver, startReceiver } from '../../server/tests/receiver.ts';
import { run, start } from '../running.ts';
import { type Balancer, startBalancer, type Target } from './balancer.ts';
import { Load } from './load.ts';

/**
 * The contract of docs/upgrading.md: the last release and this version serve beside each other on the schema of this version, and
 * the last release can be started again on it. No request may fail.
 */

const ROOT = resolve(import.meta.dirname, '../..');
/** A packed release as `npm run release` writes it, without its dependencies and the console. */
const LAST_RELEASE = join(import.meta.dirname, 'last-release.tgz');
/** On a busy machine a statement takes longer than this version allows; version 0.1.0 has no such limits. */
const UNHURRIED = { LATCHKEY_DATABASE_STATEMENT_SECONDS: '120', LATCHKEY_DATABASE_LOCK_SECONDS: '120' };
/** How many requests a phase takes: enough for each kind of work to happen at each process several times. */
const REQUESTS = 80;

type Serving = { target: Target; stop: () => Promise<void> };

let folder: string;
let lastRelease: string;
let database: { url: string; drop: () => Promise<void> };
let client: Awaited<ReturnType<typeof connectAlone>>;
let receiver: Receiver;
let balancer: Balancer;
let load: Load;
let shared: Record<string, string>;
const serving = new Set<Serving>();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-upgrade-'));
  chmodSync(folder, 0o711);
  lastRelease = join(folder, 'package');
  await run('tar', ['--extract', '--gzip', '--file', LAST_RELEASE], { cwd: folder });
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['ci', ...flags], { cwd: lastRelease });
  database = await emptyDatabase(process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '');
  client = await connectAlone(database.url, { name: 'test' });
  [receiver, balancer] = await Promise.all([startReceiver(), startBalancer()]);
  const base = await freePortBase();
  shared = {
    DATABASE_URL: database.url,
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
    LATCHKEY_LOG_LEVEL: 'fatal',
    LATCHKEY_ROLES: 'auth,api,status,worker',
    LATCHKEY_TRUSTED_PROXIES: '127.0.0.1',
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    LATCHKEY_CONSOLE_URL: `http://localhost:${base}`,
    LATCHKEY_TEST_AUTH_URL: balancer.authUrl,
    LATCHKEY_TEST_API_URL: balancer.apiUrl,
    LATCHKEY_PRODUCTION_AUTH_URL: `http://localhost:${base + 11}`,
    LATCHKEY_PRODUCTION_API_URL: `http://localhost:${base + 12}`,
  };
});
after(async () => {
  await load?.stop();
  await Promise.all([...serving].map(({ stop }) => stop()));
  balancer.stop();
  await receiver.stop();
  await client.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process and puts it behind the balancer. */
async function serve(name: string, code: string): Promise<Serving> {
  const base = await freePortBase();
  const settings = { ...shared, ...(code === ROOT && UNHURRIED), LATCHKEY_PORT_BASE: String(base) };
  const { child, output, ended } = start('node', [join(code, 'server/latchkey.mjs'), 'serve'], {
    cwd: folder,
    settings,
  });
  const target = { name, auth: base + 1, api: base + 2 };
  const process: Serving = {
    target,
    stop: async () => {
      serving.delete(process);
      await balancer.remove(target);
      child.kill('SIGTERM');
      await ended;
    },
  };
  serving.add(process);
  await eventually(async () => assert.ok(child.exitCode !== null || output().includes('Ready in'), output()));
  assert.equal(child.exitCode, null, output());
  balancer.add(target);
  return process;
}

function quickstart(code: string): Promise<string> {
  return run('node', [join(code, 'server/latchkey.mjs'), 'quickstart'], { cwd: folder, settings: shared });
}

/** Waits until each of the processes has responded to further requests. */
async function served(...names: string[]): Promise<void> {
  const earlier = new Map(balancer.answered);
  await eventually(async () => {
    for (const name of names)
      assert.ok((balancer.answered.get(name) ?? 0) >= (earlier.get(name) ?? 0) + REQUESTS, name);
  });
}

/** Ends the sessions of a person at one process, and waits until the other refuses them. */
async function expectRevocation({ from, at }: { from: string; at: string }): Promise<void> {
  const { access_token: token, email } = await load.register();
  // biome-ignore lint/performance/noAwaitInLoops: one process after the other
  for (const target of [from, at]) await load.call('/v1/me/context', { token, headers: { 'x-target': target } });
  const management = await load.managementToken();
  const query = encodeURIComponent(String(email));
  const found = await load.call(`/v1/admin/members?q=${query}`, { token: management });
  const [member] = Array.isArray(found['items']) ? found['items'] : [];
  await load.call(`/v1/admin/members/${String(Object(member).id)}/sessions/revoke`, {
    method: 'POST',
    token: management,
    headers: { 'x-target': from },
  });
  await eventually(async () => {
    const response = await fetch(`${balancer.apiUrl}/v1/me/context`, {
      headers: { authorization: `Bearer ${String(token)}`, 'x-target': at },
    });
    assert.equal(response.status, 401);
  });
}

describe('an upgrade from the last release', () => {
  let old: Serving;
  let present: Serving;

  test('the last release makes its database and serves under load', async () => {
    old = await serve('old', lastRelease);
    assert.match(await quickstart(lastRelease), /SESSION_REVOKED/);
    load = new Load(balancer, JSON.parse(readFileSync(join(folder, 'data/demo.json'), 'utf8')));
    const body = { url: `${receiver.origin}/events`, events: ['user.created'] };
    await load.call('/v1/admin/webhooks/endpoints', { token: await load.managementToken(), body }, { expect: 201 });
    load.start();
    await served('old');
  });

  test('this version migrates its database', async () => {
    const { version } = JSON.parse(readFileSync(join(lastRelease, 'package.json'), 'utf8'));
    // Statements that version 0.1.0 has prepared fail when a table gets a column.
    const survives = version !== '0.1.0';
    if (!survives) {
      await load.stop();
      await old.stop();
    }
    const output = await run('node', [join(ROOT, 'server/latchkey.mjs'), 'migrate'], { cwd: folder, settings: shared });
    assert.match(output, /Migrating the database: .*\(1 of /);
    if (!survives) {
      old = await serve('old', lastRelease);
      load.start();
    }
    await served('old');
  });

  test('both serve, and know what happened at the other', async () => {
    present = await serve('new', ROOT);
    await served('old', 'new');
    await expectRevocation({ from: 'old', at: 'new' });
    await expectRevocation({ from: 'new', at: 'old' });
    assert.match(await quickstart(ROOT), /SESSION_REVOKED/);
  });

  test('this version serves alone, also while a later one adds a column to every table', async () => {
    await old.stop();
    await served('new');
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    assert.ok(rows.length > 60);
    for (const { name } of rows) {
      // biome-ignore lint/performance/noAwaitInLoops: one table after the other
      await client.query(`alter table ${name} add column of_a_later_version text not null default ''`);
    }
    await served('new');
  });

  test('the last release starts again on the schema of this version, takes over, and hands over again', async () => {
    old = await serve('old', lastRelease);
    await served('old', 'new');
    await present.stop();
    await served('old');
    assert.match(await quickstart(lastRelease), /SESSION_REVOKED/);
    present = await serve('new', ROOT);
    await old.stop();
    await served('new');
  });

  test('no request failed, and nothing acknowledged is lost', async (t) => {
    await load.stop();
    const failed = [...load.failures.values()].reduce((sum, count) => sum + count, 0);
    t.diagnostic(`${load.requests} requests, ${failed} failed, ${load.registered.length} registrations`);
    assert.deepEqual(Object.fromEntries(load.failures), {});
    const { rows: people } = await client.query<{ id: string }>(
      'select distinct user_id as id from identifiers where value = any($1) /* all workspaces */',
      [load.registered],
    );
    assert.equal(people.length, load.registered.length);
    await eventually(async () => {
      const delivered = new Set(receiver.at('/events').map(({ body }) => JSON.parse(body).data.userId));
      assert.deepEqual(
        people.filter(({ id }) => !delivered.has(id)),
        [],
        'an event of each registration was delivered',
      );
    });
    await eventually(async () => {
      const { rows: scopes } = await client.query<{ events: number; numbers: number; last: number }>(
        `select count(*)::integer as events, count(distinct sequence)::integer as numbers, max(sequence)::integer as last
         from events group by workspace_id, project_id, environment /* all workspaces */`,
      );
      for (const { events, numbers, last } of scopes)
        assert.deepEqual([numbers, last], [events, events], 'all are numbered, without gaps');
    });
  });
});

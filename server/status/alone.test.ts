import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import { eventually, type TestResponse } from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));

/** A Latchkey in a separate process. */
async function serve(roles: string, settings: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [ENTRY, 'serve', '--roles', roles], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      LATCHKEY_LOG_LEVEL: 'fatal',
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      ...settings,
    },
  });
  let output = '';
  await new Promise<void>((ready, failed) => {
    child.once('exit', (code) => failed(new Error(`ended with ${code}: ${output}`)));
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('Ready in')) ready();
    });
  });
  return child;
}

async function kill(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

describe('the status alone', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let main: ChildProcess | null = null;
  let status: ChildProcess | null = null;
  let address: string;
  let common: Record<string, string>;
  let bases: [main: number, status: number];
  const database = (port: number) =>
    startEmbeddedPostgres({ dataDir: join(folder, 'db'), port, database: 'latchkey', progress: () => undefined });
  const serveMain = () =>
    serve('auth,api,console,worker', {
      ...common,
      LATCHKEY_PORT_BASE: String(bases[0]),
      LATCHKEY_DATA_DIR: join(folder, 'main'),
    });
  const serveStatus = () =>
    serve('status', {
      ...common,
      LATCHKEY_PORT_BASE: String(bases[1]),
      LATCHKEY_DATA_DIR: join(folder, 'status'),
      LATCHKEY_STATUS_URL: address,
    });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-alone-'));
    await chmod(folder, 0o755);
    postgres = await database(0);
    bases = [await freePortBase(), await freePortBase()];
    address = `http://localhost:${bases[1]}`;
    const at = (offset: number) => `http://localhost:${bases[0] + offset}`;
    common = {
      DATABASE_URL: postgres.url,
      LATCHKEY_CONSOLE_URL: at(0),
      LATCHKEY_TEST_AUTH_URL: at(1),
      LATCHKEY_TEST_API_URL: at(2),
      LATCHKEY_PRODUCTION_AUTH_URL: at(11),
      LATCHKEY_PRODUCTION_API_URL: at(12),
    };
  });
  after(async () => {
    await Promise.all([kill(main, 'SIGKILL'), kill(status, 'SIGTERM')]);
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const summary = async () => {
    const response = await fetch(`${address}/api/status/summary`);
    assert.equal(response.status, 200);
    const body: TestResponse['body'] = await response.json();
    const states: Record<string, string> = Object.fromEntries(
      body.groups.flatMap(({ components }: { components: { id: string; status: string }[] }) =>
        components.map(({ id, status: state }) => [id, state]),
      ),
    );
    return { body, states };
  };

  test('ST-4 continues while the server and the database are down, survives a restart of its own, and then stores its measurements', async () => {
    main = await serveMain();
    status = await serveStatus();
    await eventually(async () => {
      const { body } = await summary();
      assert.deepEqual([body.overallStatus, body.lastKnownAt], ['operational', null]);
      assert.ok(!body.summary.includes('measured'), body.summary);
    });

    await kill(main, 'SIGKILL');
    const port = Number(new URL(postgres.url).port);
    await postgres.stop();
    await eventually(async () => {
      const { body, states } = await summary();
      assert.deepEqual(
        [body.overallStatus, states['database'], states['auth'], states['api'], states['worker']],
        ['degraded', 'major_outage', 'major_outage', 'major_outage', 'major_outage'],
      );
      assert.ok(body.lastKnownAt);
      assert.match(body.summary, /shown as of/);
    });
    assert.match(await (await fetch(`${address}/status`)).text(), /The database is unavailable/);
    const { body: before } = await summary();

    // The snapshot file is its only source now; it holds the minutes of the outage until the database is back.
    await kill(status, 'SIGTERM');
    const file = join(folder, 'status', 'status.json');
    const snapshot = JSON.parse(await readFile(file, 'utf8'));
    assert.equal(snapshot.spans.production.database.at(-1).status, 'major_outage');
    // As an earlier version writes it.
    for (const stored of Object.values<{ brand?: unknown }>(snapshot.stored)) delete stored.brand;
    await writeFile(file, JSON.stringify(snapshot));
    status = await serveStatus();
    const { body: again, states } = await eventually(async () => {
      const found = await summary();
      assert.equal(found.states['auth'], 'major_outage');
      return found;
    });
    assert.equal(states['database'], 'major_outage');
    assert.equal((await fetch(`${address}/status`)).status, 200);
    assert.equal(again.lastKnownAt, before.lastKnownAt);
    const since = (body: typeof before, id: string) =>
      body.groups
        .flatMap(({ components }: { components: { id: string }[] }) => components)
        .find((one: { id: string }) => one.id === id).updatedAt;
    assert.equal(since(again, 'database'), since(before, 'database'), 'it knows since when');

    postgres = await database(port);
    main = await serveMain();
    await eventually(async () => {
      const { body, states: now } = await summary();
      assert.deepEqual(
        Object.entries(now).filter(([, state]) => state !== 'operational'),
        [],
      );
      assert.equal(body.lastKnownAt, null);
      // Everything works. The incident stays open until ten minutes without a failure, and says so.
      assert.deepEqual([body.overallStatus, body.incidents.length], ['degraded', 1]);
      assert.equal(body.incidents[0]?.phase, 'monitoring');
      assert.equal(body.incidents[0].startedAt.slice(0, 16), since(before, 'database').slice(0, 16));
    });
  });
});

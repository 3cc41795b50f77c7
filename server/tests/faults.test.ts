import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { emitAll } from '#events';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import {
  eventually,
  expectProblem,
  expectWorker,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { cloneDatabase } from '#tests/postgres.ts';
import { respondWith, startReceiver } from '#tests/receiver.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';

describe('the database goes down and comes back', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let latchkey: TestLatchkey;
  const start = async (port: number) =>
    startEmbeddedPostgres({ dataDir: folder, port, database: 'latchkey', progress: () => undefined });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-fault-'));
    await chmod(folder, 0o755);
    postgres = await start(0);
    latchkey = await startTestLatchkey({
      databaseUrl: postgres.url,
      settings: { LATCHKEY_ROLES: 'auth,api,status,console,worker' },
    });
  });
  after(async () => {
    await latchkey.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const rename = (token: string, displayName: string): Promise<TestResponse> =>
    latchkey.api('/v1/me/profile', { token, method: 'PATCH', body: { displayName } });

  test('BI-4 requests fail with 503 in between, recover by themselves, and no acknowledged change is lost', async () => {
    const { access_token: token } = await register(latchkey);
    const acknowledged: string[] = [];
    const seen = new Set<number>();
    let running = true;
    const load = (async () => {
      for (let count = 0; running; count += 1) {
        // biome-ignore lint/performance/noAwaitInLoops: one change after the other
        const response = await rename(token, `name ${count}`).catch(() => null);
        if (!response) continue;
        seen.add(response.status);
        if (response.status === 200) acknowledged.push(`name ${count}`);
        if (response.status === 503) {
          expectProblem(response, 503, 'SERVICE_UNAVAILABLE');
          assert.ok(response.headers.get('retry-after'));
        }
      }
    })();
    await eventually(async () => assert.ok(acknowledged.length > 5));
    await postgres.stop();
    await eventually(async () => assert.ok(seen.has(503)));
    // The status page stays reachable and reports the outage.
    await eventually(async () => {
      const { status, body } = await latchkey.api('/api/status/summary');
      assert.deepEqual([status, body.overallStatus], [200, 'degraded']);
      const states = Object.fromEntries(
        body.groups
          .flatMap((group: { components: unknown[] }) => group.components)
          .map(({ id, status: state }: { id: string; status: string }) => [id, state]),
      );
      assert.equal(states.database, 'major_outage');
    });
    const port = Number(new URL(postgres.url).port);
    const before = acknowledged.length;
    postgres = await start(port);
    await eventually(async () => assert.ok(acknowledged.length > before + 5));
    running = false;
    await load;
    assert.deepEqual([...seen].sort(), [200, 503], 'nothing but success and 503');
    const { body } = await latchkey.api('/v1/me/profile', { token });
    assert.equal(body.displayName, acknowledged.at(-1));
    const { rows } = await latchkey.system.pool.query(
      `select count(*) as events from events where type = 'profile.updated'`,
    );
    assert.ok(rows[0].events >= acknowledged.length, 'every acknowledged change has its event');
    // The automatic incident stays open for a while after its component has recovered.
    await eventually(async () => {
      const { body: summary } = await latchkey.api('/api/status/summary');
      const components = summary.groups.flatMap((group: { components: unknown[] }) => group.components);
      assert.deepEqual([...new Set(components.map(({ status }: { status: string }) => status))], ['operational']);
    });
    await eventually(async () => assert.equal(latchkey.system.feed.live, true));
  });

  test('BI-4 jobs and event numbering continue afterwards', async () => {
    await expectWorker(latchkey);
  });

  test('WH-1 deliveries that were claimed when it went down are made afterwards, by the same process', async () => {
    const receiver = await startReceiver();
    const held: ServerResponse[] = [];
    receiver.on('/claimed', (response) => held.push(response));
    const endpoint = await latchkey.api('/v1/admin/webhooks/endpoints', {
      token: await managementToken(latchkey),
      body: { url: `${receiver.origin}/claimed`, events: ['user.logout'] },
    });
    assert.equal(endpoint.status, 201, endpoint.text);
    const users = Array.from({ length: 40 }, (_, index) => `usr_${index}`);
    await latchkey.inProject((tx) =>
      emitAll(
        tx,
        users.map((userId) => ({ type: 'user.logout', data: { userId, everywhere: false } })),
      ),
    );
    // The endpoint has more deliveries than may be attempted at once.
    await eventually(async () => assert.equal(held.length, 16));
    await postgres.stop();
    await eventually(async () => assert.equal(latchkey.system.feed.live, false));
    receiver.on('/claimed', respondWith(200));
    for (const response of held) response.writeHead(200).end();
    postgres = await start(Number(new URL(postgres.url).port));
    await eventually(async () => {
      const received = new Set(receiver.at('/claimed').map(({ body }) => JSON.parse(body).data.userId));
      assert.deepEqual(
        users.filter((userId) => !received.has(userId)),
        [],
      );
    });
    await receiver.stop();
  });
});

describe('the process dies or is stopped', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey();
  });
  after(() => latchkey.stop());

  const registration = (process: SecondProcess, email: string) =>
    process.auth('/v1/auth/register', { email, password: PASSWORD });

  test('BI-5 killed with -9 under load: every acknowledged registration and its numbered events exist', async (t) => {
    // Only the process that is killed uses this database.
    const template = process.env['LATCHKEY_TEST_DATABASE_URL'] ?? '';
    const database = await cloneDatabase(template);
    t.after(() => database.drop());
    const own = { ...latchkey, databaseUrl: database.url };
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one process after the other
      const victim = await startSecondProcess(own);
      t.after(() => victim.stop());
      const load = Array.from({ length: 4 }, async () => {
        while (victim.child.signalCode === null) {
          const email = newEmail();
          // biome-ignore lint/performance/noAwaitInLoops: one registration after the other
          const response = await registration(victim, email).catch(() => null);
          if (response?.status === 200) acknowledged.push(email);
        }
      });
      await eventually(async () => assert.ok(acknowledged.length > (round + 1) * 8));
      victim.child.kill('SIGKILL');
      await Promise.all(load);
    }
    const last = await startSecondProcess(own);
    t.after(() => last.stop());
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    t.after(() => client.end());
    await eventually(async () => {
      const { rows } = await client.query(
        `select i.value from identifiers i join events e on e.workspace_id = i.workspace_id and e.data->>'userId' = i.user_id and e.type = 'user.created' and e.sequence is not null`,
      );
      const found = new Set(rows.map(({ value }) => value));
      assert.deepEqual(
        acknowledged.filter((email) => !found.has(email)),
        [],
      );
      const { rows: scopes } = await client.query(
        'select count(*) as events, max(sequence) as highest, count(distinct sequence) as numbers from events group by workspace_id, project_id, environment',
      );
      for (const { events, highest, numbers } of scopes)
        assert.deepEqual([highest, numbers], [events, events], 'numbered without gap or double');
    });
  });

  test('BI-6 stopped: requests in flight finish, and the process ends', async (t) => {
    const process = await startSecondProcess(latchkey);
    t.after(() => process.stop());
    const emails = Array.from({ length: 8 }, newEmail);
    const responses = emails.map((email) => registration(process, email));
    // The first response proves that the others are in flight.
    await responses[0];
    const ended = new Promise((resolve) => process.child.once('exit', resolve));
    process.child.kill('SIGTERM');
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.equal(await ended, 0);
  });
});

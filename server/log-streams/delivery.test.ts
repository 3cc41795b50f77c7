import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eraseFromAudit } from '#audit';
import { emit } from '#events';
import { Streamer } from '#log-streams';
import { closePlace } from '#tenancy';
import { eventually, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type LogStreams, logStreamsOf, TYPE } from '#tests/log-streams.ts';
import { type Behaviour, type Receiver, resets, respondWith, startReceiver } from '#tests/receiver.ts';
import { createTenant } from '#tests/tenants.ts';
import { waitingStreams } from './claims.ts';

const MINUTE = 60_000;

const clock = new TestClock();
let latchkey: TestLatchkey;
let receiver: Receiver;
let streams: LogStreams;
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey({ clock }), startReceiver()]);
  streams = logStreamsOf(latchkey, clock);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

/** Adds a stream of JSON lines to a path of the receiver. */
const linesTo = (path: string, body: Record<string, unknown> = {}) =>
  streams.create({ kind: 'json_lines', url: receiver.origin + path, ...body });

const usersIn = (body: string): string[] =>
  body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).data.userId);

/** The users in all requests to a path, in order. */
const usersAt = (path: string) => receiver.at(path).flatMap(({ body }) => usersIn(body));

/** Refuses requests with an entry about one of these users. */
const refuses =
  (...users: string[]): Behaviour =>
  (response, received, request) =>
    respondWith(usersIn(received.body).some((user) => users.includes(user)) ? 400 : 200, {}, 'bad entry')(
      response,
      received,
      request,
    );

const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await latchkey.system.pool.query(
    `select type from events where data ->> 'logStreamId' = $1 order by id`,
    [id],
  );
  return rows.map(({ type }) => type);
};

describe('a destination that fails', () => {
  test('receives every entry in order once it works again, and an event reports the failure', async () => {
    receiver.on('/away', respondWith(503, {}, 'password=hunter2'));
    const { id } = await linesTo('/away', { secret: 'Bearer abc' });
    const first = await streams.happen(2);
    const failing = await streams.failing(id);
    assert.ok(failing.delivery.waiting >= 2);
    assert.ok(Date.parse(failing.delivery.nextAttemptAt) > clock.now().getTime());
    const [fault] = await streams.faults(id);
    assert.deepEqual(
      [fault.outcome, fault.statusCode, fault.error, fault.responseSnippet],
      ['retrying', 503, 'responded with 503', 'password=[redacted]'],
    );
    streams.pass(20 * MINUTE);
    await eventually(async () => assert.ok((await eventsOf(id)).includes('log_stream.failing')));
    const lagging = (await streams.admin(`/${id}`)).body.delivery;
    assert.equal(lagging.lagSeconds, 20 * 60);
    const metrics = await latchkey.system.metrics.metrics();
    assert.match(metrics, /^latchkey_log_stream_lag_seconds 1200$/m);
    assert.match(metrics, /^latchkey_log_stream_lag_entries [1-9]\d*$/m);
    assert.match(metrics, /^latchkey_log_streams_failing 1$/m);
    assert.match(metrics, /^latchkey_log_stream_requests_total\{result="failed"\} [1-9]/m);
    const second = await streams.happen(2);
    receiver.received.length = 0;
    receiver.on('/away', respondWith(200));
    streams.pass(20 * MINUTE);
    const { delivery } = await streams.drained(id, 4);
    assert.deepEqual([delivery.failingSince, delivery.nextAttemptAt, delivery.refused], [null, null, 0]);
    assert.deepEqual(usersAt('/away'), [...first, ...second]);
    assert.deepEqual(await eventsOf(id), ['log_stream.created', 'log_stream.failing', 'log_stream.recovered']);
    await streams.remove(id);
  });

  test('is not called before the time in its Retry-After', async () => {
    receiver.on('/quiet', respondWith(429, { 'retry-after': '900' }));
    const { id } = await linesTo('/quiet');
    await streams.happen(1);
    const { delivery } = await streams.failing(id);
    assert.equal(Date.parse(delivery.nextAttemptAt), clock.now().getTime() + 900_000);
    await streams.remove(id);
  });

  for (const [what, behaviour, error] of [
    ['redirects', respondWith(302, { location: 'http://169.254.169.254/' }), /redirects are not followed/],
    ['cuts the connection', resets, /^connection (closed|reset)/],
    ['refuses the credentials', respondWith(401), /responded with 401/],
  ] as const)
    test(`loses no entry if it ${what}`, async () => {
      const path = `/${what.replaceAll(' ', '-')}`;
      receiver.on(path, behaviour);
      const { id } = await linesTo(path);
      await streams.happen(2);
      const { delivery } = await streams.failing(id);
      assert.deepEqual([delivery.sent, delivery.refused], [0, 0]);
      assert.ok(delivery.waiting >= 2);
      assert.match((await streams.faults(id))[0].error, error);
      await streams.remove(id);
    });
});

describe('a refusal by the destination', () => {
  test('skips and lists the refused entry; the other entries arrive once and in order', async () => {
    receiver.on('/poison', respondWith(503));
    const { id } = await linesTo('/poison');
    const users = await streams.happen(9);
    await streams.failing(id);
    receiver.received.length = 0;
    const [bad = '', worse = ''] = [users[3], users[8]];
    receiver.on('/poison', refuses(bad, worse));
    streams.pass(10 * MINUTE);
    const { delivery } = await streams.drained(id, 7);
    assert.deepEqual([delivery.refused, delivery.failingSince], [2, null]);
    const taken = receiver.at('/poison').map(({ body }) => usersIn(body));
    assert.deepEqual(
      taken.filter((some) => !some.includes(bad) && !some.includes(worse)).flat(),
      users.filter((user) => user !== bad && user !== worse),
    );
    const skipped = (await streams.faults(id)).filter(({ outcome }) => outcome === 'skipped');
    assert.equal(skipped.length, 2);
    assert.ok(skipped.every(({ firstSequence, lastSequence }) => firstSequence === lastSequence));
    await streams.remove(id);
  });

  test('skips no entry while the destination accepts none', async () => {
    receiver.on('/all', respondWith(400));
    const { id } = await linesTo('/all');
    const users = await streams.happen(3);
    const { delivery } = await streams.failing(id);
    assert.equal(delivery.refused, 0);
    assert.ok(delivery.waiting >= 3);
    receiver.received.length = 0;
    receiver.on('/all', respondWith(200));
    streams.pass(10 * MINUTE);
    await streams.drained(id, 3);
    assert.deepEqual(usersAt('/all'), users);
    await streams.remove(id);
  });

  test('of all entries of a batch costs a limited number of requests', async () => {
    receiver.on('/flood', respondWith(400));
    const { id } = await linesTo('/flood');
    await streams.happen(200);
    await streams.failing(id);
    assert.ok(receiver.at('/flood').length <= 80, String(receiver.at('/flood').length));
    await streams.remove(id);
  });

  test('by Elasticsearch skips only the documents that it refuses for good', async () => {
    const path = '/bulk/_bulk?filter_path=items.create.status%2Citems.create.error.type%2Citems.create.error.reason';
    const items = (...statuses: number[]) =>
      respondWith(
        200,
        {},
        JSON.stringify({
          items: statuses.map((status) => ({
            create: { status, error: { type: 'mapper', reason: 'no\u0000 field, token=abc' } },
          })),
        }),
      );
    receiver.on(path, items(201, 429, 201));
    const { id } = await streams.create({ kind: 'elastic', url: `${receiver.origin}/bulk/_bulk`, secret: 'abc' });
    await streams.happen(3);
    assert.equal((await streams.failing(id)).delivery.sent, 0);
    receiver.on(path, items(409, 400, 201));
    streams.pass(10 * MINUTE);
    const { delivery } = await streams.drained(id, 2);
    assert.equal(delivery.refused, 1);
    assert.deepEqual(
      (await streams.faults(id)).map(({ outcome, statusCode, error }) => [outcome, statusCode, error]),
      [
        ['skipped', 400, 'mapper: no field, token=[redacted]'],
        ['retrying', 429, 'mapper: no field, token=[redacted]'],
      ],
    );
    await streams.remove(id);
  });

  test('by Splunk because of a wrong index skips no entry', async () => {
    receiver.on('/hec', respondWith(400, {}, '{"text":"Incorrect index","code":7}'));
    const { id } = await streams.create({ kind: 'splunk', url: `${receiver.origin}/hec`, secret: 'abc' });
    await streams.happen(2);
    assert.equal((await streams.failing(id)).delivery.refused, 0);
    assert.equal(receiver.at('/hec').length, 1);
    await streams.remove(id);
  });

  test('by OpenTelemetry of some records is counted, and the request is not repeated', async () => {
    receiver.on(
      '/v1/logs',
      respondWith(200, {}, '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}'),
    );
    const { id } = await streams.create({ kind: 'otlp', url: `${receiver.origin}/v1/logs` });
    await streams.happen(3);
    const { delivery } = await streams.drained(id, 2);
    assert.equal(delivery.refused, 1);
    assert.equal((await streams.faults(id))[0].error, '1 of 3 records rejected: too old');
    await streams.remove(id);
  });
});

describe('two processes', () => {
  test('send a stream one after the other: nothing arrives twice or out of order', async (t) => {
    const others = [new Streamer(latchkey.system), new Streamer(latchkey.system)];
    t.after(() => Promise.all(others.map((other) => other.stop())));
    let atOnce = 0;
    let most = 0;
    receiver.on('/shared', (response) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      setImmediate(() => {
        atOnce -= 1;
        response.writeHead(200).end();
      });
    });
    const { id } = await linesTo('/shared');
    const users: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: events of several transactions
      users.push(...(await streams.happen(100)));
    }
    await streams.drained(id, 500);
    assert.deepEqual(usersAt('/shared'), users);
    assert.equal(most, 1);
    await streams.remove(id);
  });

  test('continue a stream whose process died while it sent', async () => {
    const { id } = await linesTo('/died');
    await latchkey.system.pool.query(
      `update log_streams set claim = 'dead', claimed_until = $2::timestamptz + interval '1 minute' where id = $1`,
      [id, clock.now()],
    );
    await streams.happen(1);
    assert.deepEqual(usersAt('/died'), []);
    streams.pass(2 * MINUTE);
    await streams.drained(id, 1);
    await streams.remove(id);
  });
});

describe('a stream that is changed while it sends', () => {
  /** Makes the receiver hold its responses back until `letGo`. */
  const held = (path: string) => {
    const waiting: (() => void)[] = [];
    receiver.on(path, (response) => waiting.push(() => response.writeHead(200).end()));
    return {
      arrived: () => eventually(async () => assert.ok(waiting.length > 0)),
      letGo: () => {
        for (const respond of waiting.splice(0)) respond();
      },
    };
  };

  test('sends nothing more while it is paused, and continues after the last entry when it is resumed', async () => {
    const { arrived, letGo } = held('/paused');
    const { id } = await linesTo('/paused');
    const users = await streams.happen(1);
    await arrived();
    const paused = await streams.admin(`/${id}/pause`, { method: 'POST' });
    assert.equal(paused.body.state, 'paused');
    letGo();
    const delivery = async () => (await streams.admin(`/${id}`)).body.delivery;
    await eventually(async () => assert.equal((await delivery()).sent, 1));
    const later = await streams.happen(1);
    receiver.on('/paused', respondWith(200));
    await eventually(async () => assert.ok((await delivery()).waiting > 0));
    assert.deepEqual(usersAt('/paused'), users);
    const resumed = await streams.admin(`/${id}/resume`, { body: {} });
    assert.equal(resumed.body.state, 'active');
    await streams.drained(id, 2);
    assert.deepEqual(usersAt('/paused'), [...users, ...later]);
    assert.deepEqual(await eventsOf(id), ['log_stream.created', 'log_stream.paused', 'log_stream.resumed']);
    await streams.remove(id);
  });

  test('sends the entries of the request in progress again to its new address', async () => {
    const { arrived, letGo } = held('/old');
    const { id } = await linesTo('/old', { secret: 'Bearer abc' });
    const users = await streams.happen(2);
    await arrived();
    const changed = await streams.admin(`/${id}`, { method: 'PATCH', body: { url: `${receiver.origin}/new` } });
    assert.equal(changed.status, 200, changed.text);
    letGo();
    await streams.drained(id, 2);
    assert.deepEqual(usersAt('/new'), users);
    await streams.remove(id);
  });

  test('sends nothing more and leaves no rows when it is removed', async () => {
    const { arrived, letGo } = held('/removed');
    const { id } = await linesTo('/removed');
    await streams.happen(2);
    await arrived();
    assert.equal((await streams.remove(id)).status, 204);
    letGo();
    await streams.happen(1);
    const other = await linesTo('/after-removal', { from: 'beginning' });
    await eventually(async () => assert.equal((await streams.admin(`/${other.id}`)).body.delivery.waiting, 0));
    assert.equal(receiver.at('/removed').length, 1);
    const { rows } = await latchkey.system.pool.query(
      'select id from log_streams where id = $1 union all select id from log_stream_faults where stream_id = $1',
      [id],
    );
    assert.deepEqual(rows, []);
    await streams.remove(other.id);
  });
});

describe('the streams of a closed project', () => {
  test('send nothing, hold up no other stream and do not count in the metrics', async () => {
    const { scope } = await createTenant(latchkey, 'closed-logs');
    await latchkey.inProject((tx) => closePlace(tx, scope.projectId), scope);
    const { id } = await linesTo('/open');
    await streams.happen(1);
    await streams.drained(id, 1);
    // More than a process sends at once.
    await latchkey.system.pool.query(
      `insert into log_streams
       select (jsonb_populate_record(s, jsonb_build_object('workspace_id', $2::text, 'project_id', $3::text, 'id', 'lgs_' || number,
         'url', $4::text, 'types', '["*"]'::jsonb, 'position', 0, 'sent_at', null,
         'failing_since', now(), 'claim', null, 'claimed_until', null))).*
       from log_streams s, generate_series(1, 100) as number where id = $1`,
      [id, scope.workspaceId, scope.projectId, `${receiver.origin}/closed`],
    );
    streams.pass(20 * MINUTE);
    await streams.happen(1);
    await streams.drained(id, 2);
    assert.deepEqual([receiver.at('/closed'), await waitingStreams(latchkey.system)], [[], []]);
    const metrics = await latchkey.system.metrics.metrics();
    for (const name of ['stream_lag_seconds', 'stream_lag_entries', 'streams_failing'])
      assert.match(metrics, new RegExp(`^latchkey_log_${name} 0$`, 'm'));
    await streams.remove(id);
  });
});

describe('the position of a stream', () => {
  test('can be set to a time, when the stream is added and when it is resumed', async () => {
    streams.pass(MINUTE);
    const from = clock.now().toISOString();
    const users = await streams.happen(2);
    const { id } = await linesTo('/since', { from });
    await streams.drained(id, 2);
    assert.deepEqual(usersAt('/since'), users);
    assert.equal((await streams.admin(`/${id}/resume`, { body: { from } })).status, 200);
    await streams.drained(id, 4);
    assert.deepEqual(usersAt('/since'), [...users, ...users]);
    await streams.remove(id);
  });
});

describe('an entry', () => {
  test('whose person was erased before it was sent is marked as erased and keeps its hash', async () => {
    const { id } = await linesTo('/erased', { types: ['user.email.changed'] });
    await streams.admin(`/${id}/pause`, { method: 'POST' });
    const userId = 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8';
    await latchkey.inProject((tx) => emit(tx, 'user.email.changed', { userId, email: 'ada@example.com' }));
    await eventually(async () => {
      const erased = await latchkey.inProject((tx) => eraseFromAudit(tx, userId, ['ada@example.com']));
      assert.equal(erased, 1);
    });
    await streams.admin(`/${id}/resume`, { body: {} });
    await streams.drained(id, 1);
    const [{ body } = { body: '' }] = receiver.at('/erased');
    const { erased, data, actor, hash } = JSON.parse(body);
    assert.deepEqual([erased, data, actor], [true, null, null]);
    assert.match(hash, /^[\w-]{43}$/);
    assert.ok(!body.includes('ada@example.com'));
    await streams.remove(id);
  });

  test('that is too large is sent without its data', async () => {
    const { id } = await linesTo('/huge', { types: ['audit.entries_erased', TYPE] });
    const ranges = Array.from({ length: 20_000 }, (_, first) => ({ first, last: first }));
    await latchkey.inProject((tx) => emit(tx, 'audit.entries_erased', { reason: 'test', ranges }));
    const [after] = await streams.happen(1);
    await streams.drained(id, 2);
    const lines = receiver.at('/huge').flatMap(({ body }) => body.trim().split('\n'));
    const [first, second] = lines.map((line) => JSON.parse(line));
    assert.deepEqual([first.truncated, first.data, first.action], [true, null, 'audit.entries_erased']);
    assert.deepEqual([second.truncated, second.data.userId], [undefined, after]);
    await streams.remove(id);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { openTls } from '#platform/fetch.ts';
import { startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type LogStreams, logStreamsOf, TYPE } from '#tests/log-streams.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { type Certified, selfSigned, startSyslog } from '#tests/syslog-server.ts';
import { syslogTarget } from './destinations.ts';
import { sendAll } from './syslog.ts';

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

/** Sends two entries to a path of the receiver. @returns the one request and the rows of the entries in the log */
async function sendTwo(path: string, stream: Record<string, unknown>) {
  const { id } = await streams.create({ url: receiver.origin + path, ...stream });
  const users = await streams.happen(2);
  const { delivery } = await streams.drained(id, 2);
  assert.deepEqual([delivery.refused, delivery.lagSeconds, delivery.failingSince], [0, 0, null]);
  const [request, ...others] = receiver.received.filter(({ path: called }) => called.startsWith(path));
  assert.ok(request);
  assert.equal(others.length, 0, 'one request');
  await streams.remove(id);
  const log = await latchkey.system.pool.query(
    `select sequence, id, action, occurred_at, encode(hash, 'base64') as hash from audit_entries where entry -> 'data' ->> 'userId' = any($1)
     order by sequence`,
    [users],
  );
  return { request, log: log.rows, users };
}

function expectEntry(entry: Record<string, unknown>, row: Record<string, unknown>, userId: string | undefined): void {
  const { workspaceId, projects } = latchkey.demo;
  assert.deepEqual(entry, {
    workspaceId,
    projectId: projects[0]?.id,
    environment: 'test',
    id: row['id'],
    sequence: row['sequence'],
    occurredAt: clock.now().toISOString(),
    action: TYPE,
    actor: { kind: 'system', name: 'test' },
    resources: [],
    correlationId: 'test',
    data: { userId, everywhere: false },
    hash: Buffer.from(String(row['hash']), 'base64').toString('base64url'),
  });
}

const lines = (body: string) => body.split('\n').filter((line) => line !== '');

describe('what a destination receives', () => {
  test('Splunk: events of the HTTP Event Collector, with its token', async () => {
    const { request, log, users } = await sendTwo('/services/collector/event', { kind: 'splunk', secret: 'hec-token' });
    assert.equal(request.headers['authorization'], 'Splunk hec-token');
    const events = lines(request.body).map((line) => JSON.parse(line));
    for (const [index, { time, source, sourcetype, event, ...others }] of events.entries()) {
      assert.deepEqual(
        [time, source, sourcetype, others],
        [clock.now().getTime() / 1000, 'latchkey', 'latchkey:audit', {}],
      );
      expectEntry(event, log[index], users[index]);
    }
    assert.equal(events.length, 2);
  });

  test('Datadog: an array of logs, with the API key', async () => {
    const { request, log, users } = await sendTwo('/api/v2/logs', { kind: 'datadog', secret: 'dd-key' });
    assert.deepEqual([request.headers['dd-api-key'], request.headers['content-type']], ['dd-key', 'application/json']);
    const logs = JSON.parse(request.body);
    assert.equal(logs.length, 2);
    for (const [index, { latchkey: entry, ...item }] of logs.entries()) {
      expectEntry(entry, log[index], users[index]);
      assert.deepEqual(item, {
        ddsource: 'latchkey',
        service: 'latchkey',
        ddtags: `env:test,project:${entry.projectId}`,
        status: 'info',
        timestamp: entry.occurredAt,
        message: TYPE,
        evt: { name: TYPE, id: entry.id },
        usr: {},
      });
    }
  });

  test('Elastic: pairs of lines for the bulk API, whose ids prevent a second document', async () => {
    receiver.on(
      '/logs/_bulk?filter_path=items.create.status%2Citems.create.error.type%2Citems.create.error.reason',
      respondWith(200, {}, JSON.stringify({ items: [{ create: { status: 201 } }, { create: { status: 409 } }] })),
    );
    const { request, log, users } = await sendTwo('/logs/_bulk', { kind: 'elastic', secret: 'ZWxhc3RpYw==' });
    assert.deepEqual(
      [request.headers['authorization'], request.headers['content-type'], request.body.endsWith('\n')],
      ['ApiKey ZWxhc3RpYw==', 'application/x-ndjson', true],
    );
    const parsed = lines(request.body).map((line) => JSON.parse(line));
    assert.equal(parsed.length, 4);
    for (const [index, row] of log.entries()) {
      assert.deepEqual(parsed[index * 2], { create: { _id: row.id } });
      const { latchkey: entry, ...document } = parsed[index * 2 + 1];
      expectEntry(entry, row, users[index]);
      assert.deepEqual(document, {
        '@timestamp': entry.occurredAt,
        ecs: { version: '8.11.0' },
        event: { id: row.id, kind: 'event', action: TYPE, dataset: 'latchkey.audit', sequence: row.sequence },
        message: TYPE,
        service: { name: 'latchkey', environment: 'test' },
        user: {},
      });
    }
  });

  test('JSON lines: an entry per line, with the secret in the configured header', async () => {
    const { request, log, users } = await sendTwo('/lines', { kind: 'json_lines', header: 'x-api-key', secret: 'abc' });
    assert.deepEqual([request.headers['x-api-key'], request.headers['authorization']], ['abc', undefined]);
    assert.equal(request.headers['content-type'], 'application/x-ndjson');
    for (const [index, line] of lines(request.body).entries()) expectEntry(JSON.parse(line), log[index], users[index]);
  });

  test('OTLP: log records in ProtoJSON, whose body is the entry', async () => {
    const { request, log, users } = await sendTwo('/v1/logs', { kind: 'otlp', secret: 'Bearer abc' });
    assert.deepEqual(
      [request.headers['authorization'], request.headers['content-type']],
      ['Bearer abc', 'application/json'],
    );
    const { resourceLogs, ...nothing } = JSON.parse(request.body);
    assert.deepEqual(nothing, {});
    const [{ resource, scopeLogs }] = resourceLogs;
    assert.deepEqual(plain({ kvlistValue: { values: resource.attributes } }), { 'service.name': 'latchkey' });
    const [{ scope, logRecords }] = scopeLogs;
    assert.deepEqual([scope, logRecords.length], [{ name: 'latchkey.audit' }, 2]);
    for (const [index, { body, attributes, ...record }] of logRecords.entries()) {
      const nanoseconds = `${clock.now().getTime()}000000`;
      assert.deepEqual(record, {
        timeUnixNano: nanoseconds,
        observedTimeUnixNano: nanoseconds,
        severityNumber: 9,
        severityText: 'INFO',
        eventName: TYPE,
      });
      expectEntry(Object(plain(body)), log[index], users[index]);
      assert.equal(Object(plain({ kvlistValue: { values: attributes } }))['event.id'], log[index].id);
    }
  });

  test('syslog: messages of RFC 5424 in frames of RFC 5425, with a private authority and mutual TLS', async (t) => {
    const [own, client] = await Promise.all([selfSigned('localhost'), selfSigned('latchkey')]);
    const syslog = await startSyslog(own, client.certificate);
    t.after(() => syslog.stop());
    const { id } = await streams.create({
      kind: 'syslog',
      url: syslog.address,
      caCertificate: own.certificate,
      clientCertificate: client.certificate,
      secret: client.key,
    });
    await streams.happen(2);
    await streams.drained(id, 2);
    assert.deepEqual(
      syslog.messages.map(({ json, ...message }) => message),
      syslog.messages.map(({ json }) => ({
        priority: 110,
        timestamp: clock.now().toISOString(),
        hostName: new URL(latchkey.system.config.addresses.test.auth).hostname,
        appName: 'latchkey',
        messageId: TYPE,
        data: `[meta sequenceId="${json['sequence']}"]`,
      })),
    );
    assert.equal(syslog.messages.length, 2);
    await streams.remove(id);
  });
});

describe('HTTPS', () => {
  test('trusts the private authority of a stream alone, and another one needs the secret again', async (t) => {
    const [own, other] = await Promise.all([selfSigned('localhost'), selfSigned('localhost')]);
    let received = '';
    const server = createServer({ key: own.key, cert: own.certificate }, (request, response) => {
      text(request).then((body) => {
        received += `${request.headers.authorization} ${body}`;
        response.end();
      }, assert.fail);
    });
    server.listen(0);
    await once(server, 'listening');
    t.after(() => server.close());
    const url = `https://localhost:${Object(server.address()).port}/`;
    const stream = { kind: 'json_lines', url, secret: 'Bearer abc' };
    const { id: trusting } = await streams.create({ ...stream, caCertificate: own.certificate });
    const { id: suspicious } = await streams.create({ ...stream, caCertificate: other.certificate });
    const { id: plain } = await streams.create(stream);
    const [user = 'none'] = await streams.happen(1);
    await streams.drained(trusting, 1);
    assert.match(received, new RegExp(`^Bearer abc .*${user}`));
    for (const id of [suspicious, plain]) {
      // biome-ignore lint/performance/noAwaitInLoops: one stream after the other
      await streams.failing(id);
      assert.match((await streams.faults(id))[0].error, /^TLS: /);
    }
    const change = (body: Record<string, unknown>) => streams.admin(`/${trusting}`, { method: 'PATCH', body });
    const refused = await change({ caCertificate: other.certificate });
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/body/secret'], refused.text);
    assert.equal((await change({ caCertificate: other.certificate, secret: 'Bearer abc' })).status, 200);
    await Promise.all([trusting, suspicious, plain].map((id) => streams.remove(id)));
  });
});

describe('syslog over TLS', () => {
  let own: Certified;
  before(async () => {
    own = await selfSigned('localhost');
  });

  test('sends nothing to a receiver whose certificate no trusted authority signed', async (t) => {
    const syslog = await startSyslog(own);
    t.after(() => syslog.stop());
    const { id } = await streams.create({ kind: 'syslog', url: syslog.address });
    await streams.happen(1);
    await streams.failing(id);
    assert.match((await streams.faults(id))[0].error, /^TLS: /);
    assert.deepEqual(syslog.messages, []);
    await streams.remove(id);
  });

  test('sends nothing to a receiver whose certificate is for another host', async (t) => {
    const other = await selfSigned('other.example');
    const syslog = await startSyslog(other);
    t.after(() => syslog.stop());
    const { id } = await streams.create({ kind: 'syslog', url: syslog.address, caCertificate: other.certificate });
    await streams.happen(1);
    await streams.failing(id);
    assert.equal((await streams.faults(id))[0].error, 'TLS: ERR_TLS_CERT_ALTNAME_INVALID');
    await streams.remove(id);
  });

  test('ends a request whose signal was aborted before it began', async (t) => {
    const syslog = await startSyslog(own);
    t.after(() => syslog.stop());
    const socket = openTls(latchkey.system, { ...syslogTarget(syslog.address), ca: own.certificate });
    await assert.rejects(sendAll(socket, '', AbortSignal.abort()), { name: 'AbortError' });
  });

  test('sends entries again that a cut connection may have lost', async (t) => {
    const syslog = await startSyslog(own);
    t.after(() => syslog.stop());
    syslog.cut(true);
    const { id } = await streams.create({ kind: 'syslog', url: syslog.address, caCertificate: own.certificate });
    const users = await streams.happen(300);
    await streams.failing(id);
    syslog.cut(false);
    streams.pass(10 * MINUTE);
    await streams.drained(id, 300);
    assert.deepEqual(
      syslog.messages.map(({ json }) => Object(json['data']).userId),
      users,
    );
    await streams.remove(id);
  });
});

/** The plain value of an AnyValue, strictly by its one key. */
function plain(value: Record<string, unknown>): unknown {
  const [[kind, content] = ['', null], ...others] = Object.entries(value);
  assert.equal(others.length, 0);
  if (kind === '') return null;
  if (kind === 'intValue') {
    assert.equal(typeof content, 'string', 'a 64-bit integer is text');
    return Number(content);
  }
  if (kind === 'arrayValue') return Object(content).values.map(plain);
  if (kind === 'kvlistValue')
    return Object.fromEntries(
      Object(content).values.map(({ key, value: inner }: { key: string; value: Record<string, unknown> }) => [
        key,
        plain(inner),
      ]),
    );
  assert.ok(['stringValue', 'boolValue', 'doubleValue'].includes(kind), kind);
  return content;
}

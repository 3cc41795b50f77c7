import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { selfSigned } from '#tests/syslog-server.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

const STREAMS = '/v1/admin/log-streams';
const SECRET = 'Bearer a-very-secret-token';

let latchkey: TestLatchkey;
let receiver: Receiver;
let token: string;
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey(), startReceiver()]);
  token = await managementToken(latchkey);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

/** Adds a stream of events that these tests do not emit. */
const create = (body: Record<string, unknown> = {}, extra = {}): Promise<TestResponse> =>
  latchkey.api(STREAMS, {
    token,
    body: {
      name: 'Logs',
      kind: 'json_lines',
      url: `${receiver.origin}/logs`,
      secret: SECRET,
      types: ['billing.*'],
      ...body,
    },
    ...extra,
  });
const change = (id: string, body: Record<string, unknown>): Promise<TestResponse> =>
  latchkey.api(`${STREAMS}/${id}`, { token, method: 'PATCH', body });
const remove = (id: string) => latchkey.api(`${STREAMS}/${id}`, { token, method: 'DELETE' });

const faultsOf = ({ status, body }: TestResponse): [number, string[]] => [
  status,
  (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
];

describe('log streams', () => {
  test('are created, listed, changed and removed, and their secret is never returned', async () => {
    const created = await create();
    assert.equal(created.status, 201, created.text);
    const { id, createdAt, updatedAt } = created.body;
    const record = {
      id,
      kind: 'json_lines',
      name: 'Logs',
      types: ['billing.*'],
      url: `${receiver.origin}/logs`,
      header: null,
      caCertificate: null,
      clientCertificate: null,
      certificates: [],
      hasSecret: true,
      state: 'active',
      createdAt,
      updatedAt,
    };
    const { delivery, ...read } = (await latchkey.api(`${STREAMS}/${id}`, { token })).body;
    assert.deepEqual(read, record);
    assert.deepEqual(
      [delivery.sent, delivery.refused, delivery.sentAt, delivery.failingSince, delivery.nextAttemptAt],
      [0, 0, null, null, null],
    );
    const list = await latchkey.api(STREAMS, { token });
    assert.equal(list.body.items[0].id, id);
    const changed = await change(id, { name: 'Other', types: ['billing.*', 'sms.*'] });
    assert.deepEqual([changed.status, changed.body.name, changed.body.types.length], [200, 'Other', 2]);
    assert.equal((await remove(id)).status, 204);
    expectProblem(await latchkey.api(`${STREAMS}/${id}`, { token }), 404, 'NOT_FOUND');
    for (const response of [created, list, changed]) assert.ok(!response.text.includes('very-secret'));
    const { rows } = await latchkey.system.pool.query(
      `select type, data from events where data ->> 'logStreamId' = $1 order by id`,
      [id],
    );
    assert.ok(!JSON.stringify(rows).includes('very-secret'));
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['log_stream.created', 'log_stream.updated', 'log_stream.deleted'],
    );
  });

  test('store their secret encrypted and bound to their row', async () => {
    const { id } = (await create()).body;
    const { rows } = await latchkey.system.pool.query('select * from log_streams where id = $1', [id]);
    assert.ok(!JSON.stringify(rows).includes('very-secret'));
    assert.throws(() => latchkey.system.keyring.open(rows[0].secret_sealed, 'log-stream-secret', 'lgs_other'));
    await remove(id);
  });

  test('need the secret again for an address of another origin', async () => {
    const { id } = (await create()).body;
    const elsewhere = 'http://127.0.0.1:9/logs';
    assert.deepEqual(faultsOf(await change(id, { url: elsewhere })), [400, ['/body/secret']]);
    assert.equal((await change(id, { url: `${receiver.origin}/other-path` })).status, 200);
    const moved = await change(id, { url: elsewhere, secret: null });
    assert.deepEqual([moved.status, moved.body.hasSecret], [200, false]);
    await remove(id);
  });

  test('are added once when a request is repeated with its idempotency key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID(), 'x-correlation-id': 'repeated-stream' };
    const [first, second] = [await create({}, { headers }), await create({}, { headers })];
    assert.deepEqual([first.status, second.body.id], [201, first.body.id]);
    await remove(first.body.id);
  });

  test('are limited to ten, even when eleven are added at once', async () => {
    const responses = await Promise.all(Array.from({ length: 11 }, () => create()));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(10).fill(201), 409]);
    await inTurn(
      responses.flatMap(({ body }) => (body.id ? [body.id] : [])),
      (id: string) => remove(id),
    );
  });

  test('cannot be seen or used from another project', async () => {
    const { id } = (await create()).body;
    const other = await tenantManagementToken(latchkey, await createTenant(latchkey, 'other-logs'));
    const calls = [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/test'],
      ['GET', '/faults'],
    ] as const;
    await inTurn(calls, async ([method, path]) =>
      expectProblem(await latchkey.api(`${STREAMS}/${id}${path}`, { token: other, method }), 404, 'NOT_FOUND'),
    );
    assert.deepEqual((await latchkey.api(STREAMS, { token: other })).body.items, []);
    assert.equal(receiver.at('/logs').length, 0);
    await remove(id);
  });
});

describe('a stream is refused', () => {
  const cases: [what: string, body: Record<string, unknown>, pointer: string][] = [
    ['at a private address', { url: 'http://10.0.0.1/logs' }, '/body/url'],
    ['at the metadata address', { url: 'http://[::ffff:169.254.169.254]/' }, '/body/url'],
    ['at a private address for syslog', { kind: 'syslog', url: 'tls://10.0.0.1:6514' }, '/body/url'],
    ['at a private address written as one number', { kind: 'syslog', url: 'tls://167772161:6514' }, '/body/url'],
    ['with a password in the address', { url: 'https://user:password@example.com/' }, '/body/url'],
    ['with a path behind a host of syslog', { kind: 'syslog', url: 'tls://example.com:6514/x' }, '/body/url'],
    ['with a syslog address for another kind', { url: 'tls://example.com:6514' }, '/body/url'],
    ['with an HTTP address for syslog', { kind: 'syslog', secret: null }, '/body/url'],
    ['without a token where one is needed', { kind: 'splunk', secret: null }, '/body/secret'],
    ['with a secret that no header can carry', { secret: 'abc\r\nx-evil: 1' }, '/body/secret'],
    ['with a header that Latchkey sets', { header: 'Content-Length' }, '/body/header'],
    ['with a header of the trace', { header: 'Traceparent' }, '/body/header'],
    ['with a header name for a kind whose header is fixed', { kind: 'datadog', header: 'x-key' }, '/body/header'],
    ['with a broken certificate for HTTP', { caCertificate: '-----BEGIN CERTIFICATE-----' }, '/body/caCertificate'],
    [
      'with a broken certificate for syslog',
      { kind: 'syslog', url: 'tls://example.com:6514', caCertificate: '-----BEGIN X-----', secret: null },
      '/body/caCertificate',
    ],
    ['with a key and no certificate', { kind: 'syslog', url: 'tls://example.com:6514' }, '/body/secret'],
    ['for an unknown event type', { types: ['no.such'] }, '/body/types/0'],
    ['from a text that is no time', { from: 'yesterday' }, '/body/from'],
  ];
  for (const [what, body, pointer] of cases)
    test(what, async () => {
      assert.deepEqual(faultsOf(await create(body)), [400, [pointer]]);
    });

  test('with the key of another certificate', async () => {
    const [one, other] = await Promise.all([selfSigned('one'), selfSigned('other')]);
    const body = {
      kind: 'syslog',
      url: 'tls://example.com:6514',
      clientCertificate: one.certificate,
      secret: other.key,
    };
    assert.deepEqual(faultsOf(await create(body)), [400, ['/body/secret']]);
  });
});

describe('a test of a stream', () => {
  test('sends one example entry and returns the result', async () => {
    const { id } = (await create({ url: `${receiver.origin}/try` })).body;
    const call = () => latchkey.api(`${STREAMS}/${id}/test`, { token, method: 'POST' });
    const good = await call();
    assert.deepEqual(good.body, { ok: true, statusCode: null, error: null, responseSnippet: null });
    const [request] = receiver.at('/try');
    assert.equal(request?.headers['authorization'], SECRET);
    const entry = JSON.parse(request.body);
    assert.deepEqual(
      [entry.action, entry.example, entry.sequence, entry.data.logStreamId],
      ['log_stream.tested', true, 0, id],
    );
    receiver.on('/try', respondWith(403, {}, `no: ${SECRET}`));
    const bad = await call();
    assert.deepEqual(bad.body, {
      ok: false,
      statusCode: 403,
      error: 'responded with 403',
      responseSnippet: 'no: [redacted]',
    });
    const { rows } = await latchkey.system.pool.query(
      `select data ->> 'ok' as ok from events where type = 'log_stream.tested' and data ->> 'logStreamId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(
      rows.map(({ ok }) => ok),
      ['true', 'false'],
    );
    await remove(id);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { createTenant, tenantToken } from '#tests/tenants.ts';

const ENDPOINTS = '/v1/admin/webhooks/endpoints';

let latchkey: TestLatchkey;
let receiver: Receiver;
let token: string;
before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey(), startReceiver()]);
  token = await managementToken(latchkey);
});
after(() => Promise.all([latchkey.stop(), receiver.stop()]));

const create = (body: Record<string, unknown> = {}): Promise<TestResponse> =>
  latchkey.api(ENDPOINTS, { token, body: { url: `${receiver.origin}/hook`, events: ['user.*'], ...body } });

const faults = ({ body }: TestResponse): string[] => body.errors.map(({ pointer }: { pointer: string }) => pointer);

describe('webhook endpoints', () => {
  test('WH-5 the secret is shown when the endpoint is created, and never again', async () => {
    const created = await create({ description: 'Orders', headers: { 'x-team': 'orders' } });
    assert.equal(created.status, 201, created.text);
    const { secret, ...record } = created.body;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(record, {
      id: record.id,
      url: `${receiver.origin}/hook`,
      description: 'Orders',
      events: ['user.*'],
      organizationId: null,
      headers: { 'x-team': 'orders' },
      enabled: true,
      disabledReason: null,
      failingSince: null,
      pausedUntil: null,
      createdAt: record.createdAt,
      updatedAt: record.createdAt,
    });
    const read = await latchkey.api(`${ENDPOINTS}/${record.id}`, { token });
    assert.deepEqual(read.body, record);
    const list = await latchkey.api(ENDPOINTS, { token });
    assert.deepEqual(list.body.items[0], record);
    const { rows } = await latchkey.system.pool.query('select * from webhook_endpoints where id = $1', [record.id]);
    assert.ok(!JSON.stringify(rows[0]).includes(secret.slice(6, 30)), 'encrypted at rest');
  });

  test('an endpoint is updated field by field, and the event lists the changed fields', async () => {
    const { id } = (await create()).body;
    const changed = await latchkey.api(`${ENDPOINTS}/${id}`, {
      token,
      method: 'PATCH',
      body: { events: ['session.revoked'], description: 'Ended sessions' },
      headers: { 'x-correlation-id': 'changed-endpoint' },
    });
    assert.deepEqual(
      [changed.status, changed.body.events, changed.body.description],
      [200, ['session.revoked'], 'Ended sessions'],
    );
    const { rows } = await latchkey.system.pool.query(
      `select type, data from events where correlation_id = 'changed-endpoint'`,
    );
    assert.deepEqual(rows, [
      {
        type: 'webhook.endpoint.updated',
        data: { endpointId: id, url: `${receiver.origin}/hook`, changed: ['events', 'description'] },
      },
    ]);
  });

  test('disabling and enabling emit one event each; deleting hides it', async () => {
    const { id } = (await create()).body;
    const act = (action: string) => latchkey.api(`${ENDPOINTS}/${id}/${action}`, { token, method: 'POST' });
    assert.deepEqual(
      [(await act('disable')).body.enabled, (await act('disable')).body.disabledReason],
      [false, 'request'],
    );
    const enabled = await act('enable');
    assert.deepEqual([enabled.body.enabled, enabled.body.disabledReason], [true, null]);
    assert.equal((await latchkey.api(`${ENDPOINTS}/${id}`, { token, method: 'DELETE' })).status, 204);
    expectProblem(await latchkey.api(`${ENDPOINTS}/${id}`, { token }), 404, 'NOT_FOUND');
    expectProblem(await act('enable'), 404, 'NOT_FOUND');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'endpointId' = $1 order by id`,
      [id],
    );
    assert.deepEqual(
      rows.map(({ type }) => type.split('.').at(-1)),
      ['created', 'disabled', 'enabled', 'deleted'],
    );
  });

  for (const [url, why] of [
    ['ftp://example.com/', 'another protocol'],
    ['not a url', 'no URL'],
    ['https://user:password@example.com/', 'credentials'],
    ['https://example.com/#part', 'a fragment'],
    ['http://10.0.0.1/', 'a private address'],
    ['http://169.254.169.254/latest/meta-data/', 'the metadata address'],
    ['http://[::ffff:169.254.169.254]/', 'the metadata address, IPv4 in IPv6'],
    ['http://[::ffff:a9fe:a9fe]/', 'the metadata address, in hexadecimal'],
    ['http://0xa9.0xfe.0xa9.0xfe/', 'the metadata address, in octets of hexadecimal'],
    ['http://2852039166/', 'the metadata address, as one number'],
    ['http://[fe80::1]/', 'a link-local address'],
    ['http://[fd12::1]/', 'a unique local address'],
    ['http://100.64.0.1/', 'carrier-grade NAT'],
    ['http://[64:ff9b::a00:1]/', 'NAT64 of a private address'],
    ['http://0.0.0.0/', 'this host'],
  ] as const)
    test(`WH-2 ${why} is refused at registration: ${url}`, async () => {
      const refused = await create({ url });
      expectProblem(refused, 400, 'VALIDATION_FAILED');
      assert.deepEqual(faults(refused), ['/body/url']);
    });

  test('WH-2 the production environment requires https', async () => {
    const production = await managementToken(latchkey, undefined, 'production');
    const call = (url: string) =>
      latchkey.api(ENDPOINTS, { token: production, body: { url, events: ['*'] } }, 'production');
    expectProblem(await call('http://example.com/hook'), 400, 'VALIDATION_FAILED');
    assert.equal((await call('https://example.com/hook')).status, 201);
  });

  test('patterns that select no event are refused, with a pointer', async () => {
    const refused = await create({ events: ['user.*', 'nothing.*', 'user.invented', '*'] });
    expectProblem(refused, 400, 'VALIDATION_FAILED');
    assert.deepEqual(faults(refused), ['/body/events/1', '/body/events/2']);
    expectProblem(await create({ events: [] }), 400, 'VALIDATION_FAILED');
    expectProblem(await create({ events: ['user*'] }), 400, 'VALIDATION_FAILED');
  });

  test('a type whose first part has an underscore can be selected, alone and as a group', async () => {
    const { status, body } = await create({ events: ['log_stream.failing', 'log_stream.*'] });
    assert.deepEqual([status, body.events], [201, ['log_stream.failing', 'log_stream.*']]);
  });

  test('headers of the message and the connection cannot be set, and line breaks are refused', async () => {
    for (const name of [
      'webhook-signature',
      'Webhook-Id',
      'host',
      'Content-Length',
      'transfer-encoding',
      'connection',
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const refused = await create({ headers: { [name]: 'x' } });
      expectProblem(refused, 400, 'VALIDATION_FAILED');
      assert.deepEqual(faults(refused), [`/body/headers/${name}`]);
    }
    expectProblem(await create({ headers: { 'x-a': 'b\r\nwebhook-id: c' } }), 400, 'VALIDATION_FAILED');
    expectProblem(await create({ headers: { 'x a': 'b' } }), 400, 'VALIDATION_FAILED');
    expectProblem(await create({ headers: { 'x-a': '1', 'X-A': '2' } }), 400, 'VALIDATION_FAILED');
  });

  test('WH-5 a header that looks like a credential is redacted, and survives being sent back redacted', async () => {
    const { id, headers } = (await create({ headers: { authorization: 'Bearer top-secret-value', 'x-team': 'a' } }))
      .body;
    assert.deepEqual(headers, { authorization: '[redacted]', 'x-team': 'a' });
    await latchkey.api(`${ENDPOINTS}/${id}`, {
      token,
      method: 'PATCH',
      body: { headers: { ...headers, 'x-team': 'b' } },
    });
    await latchkey.api(`${ENDPOINTS}/${id}/test`, { token, body: {} });
    await eventually(async () => {
      const sent = receiver.received.at(-1);
      assert.deepEqual([sent?.headers['authorization'], sent?.headers['x-team']], ['Bearer top-secret-value', 'b']);
    });
  });

  test('changes need webhooks:write; reading needs webhooks:read', async () => {
    const reader = await managementToken(latchkey, 'webhooks:read');
    assert.equal((await latchkey.api(ENDPOINTS, { token: reader })).status, 200);
    expectProblem(
      await latchkey.api(ENDPOINTS, { token: reader, body: { url: 'https://example.com', events: ['*'] } }),
      403,
      'AUTHORIZATION_DENIED',
    );
    const { access_token: customer } = await register(latchkey);
    expectProblem(await latchkey.api(ENDPOINTS, { token: customer }), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await latchkey.api(ENDPOINTS, { token: await ownerToken(latchkey) })).status, 200);
  });

  test('BI-3 an endpoint of another workspace is not found', async () => {
    const { id } = (await create()).body;
    const stranger = await tenantToken(latchkey, await createTenant(latchkey, 'webhook-stranger'));
    const calls: [path: string, call: { method?: string; body?: unknown }][] = [
      ['', {}],
      ['', { method: 'DELETE' }],
      ['', { method: 'PATCH', body: { description: 'mine' } }],
      ['/disable', { method: 'POST' }],
      ['/secret/rotate', { body: {} }],
      ['/test', { body: {} }],
      ['/stats', {}],
      ['/replay', { body: { since: '2026-01-01T00:00:00Z' } }],
      ['/recover', { body: { since: '2026-01-01T00:00:00Z' } }],
    ];
    const responses = await Promise.all(
      calls.map(([path, call]) => latchkey.api(`${ENDPOINTS}/${id}${path}`, { token: stranger, ...call })),
    );
    for (const response of responses) expectProblem(response, 404, 'NOT_FOUND');
  });
});

describe('the limit of fifty endpoints', () => {
  test('is exact under concurrent additions', async () => {
    const tenant = await createTenant(latchkey, 'webhook-limit');
    const owner = await tenantToken(latchkey, tenant);
    // An address: without internet, looking a name up takes seconds.
    const add = () =>
      latchkey.api(ENDPOINTS, { token: owner, body: { url: 'https://203.0.114.1/hook', events: ['*'] } });
    const before = await inTurn(Array.from({ length: 40 }), add);
    assert.ok(before.every(({ status }) => status === 201));
    const responses = await Promise.all(Array.from({ length: 30 }, add));
    assert.deepEqual(
      [
        responses.filter(({ status }) => status === 201).length,
        responses.filter(({ status }) => status === 409).length,
      ],
      [10, 20],
    );
    const [refused] = responses.filter(({ status }) => status === 409);
    assert.ok(refused);
    expectProblem(refused, 409, 'CONFLICT');
    assert.deepEqual([refused.body.limit, refused.body.current], [50, 50]);
  });
});

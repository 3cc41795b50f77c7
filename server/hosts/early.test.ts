import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { SOURCE_COUNTERS, sourceCounts } from '#platform/http-sources.ts';
import { admin, newApi, newMachine } from '#tests/apis.ts';
import { managementToken, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
/** The token request of the demo's back end. */
let plain: Record<string, string>;
before(async () => {
  latchkey = await startTestLatchkey();
  const { workspaceId, projects, environments } = latchkey.demo;
  plain = {
    grant_type: 'client_credentials',
    workspaceId,
    projectId: projects[0]?.id ?? '',
    environment: 'test',
    client_id: environments.test.managementClientId,
    client_secret: environments.test.managementClientSecret,
  };
});
after(() => latchkey.stop());

type Sent = {
  method?: string;
  path: string;
  headers?: string[];
  body?: string;
  pieces?: boolean;
  host?: string;
  at?: 'api';
};
type Received = { status: string; fields: [name: string, value: string][]; body: string };

/** Sends a request as it is written here, and reads the response to the end of the connection. */
async function exchange(sent: Sent): Promise<Received> {
  const { method = 'GET', path, headers = [], body, pieces, host, at = 'auth' } = sent;
  const port = latchkey.system.config.ports.test[at];
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  const length = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host ?? `localhost:${port}`}`,
    'connection: close',
    ...headers,
    ...length,
  ].join('\r\n');
  if (pieces) {
    await once(socket, 'connect');
    socket.write(`${head}\r\n\r\n`);
    // By the response to another request, the server has read the head.
    await exchange({ path: '/connect/jwks' });
    socket.write(body ?? '');
  } else socket.write(`${head}\r\n\r\n${body ?? ''}`);
  await once(socket, 'close');
  const [start = '', ...rest] = text.split('\r\n\r\n');
  const [status = '', ...lines] = start.split('\r\n');
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status, fields, body: rest.join('\r\n\r\n') };
}

/** Routes begin with the headers that every response has; an early response puts its own after those. */
function isEarly({ fields }: Received): boolean {
  return fields[0]?.[0] === 'x-content-type-options';
}

/** A token without what differs between two tokens: its id, times and signature. */
function constantOf(token: string): unknown {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { jti, iat, exp, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const order = Object.keys(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  const form = /^[\w-]{43}$/.test(jti) && signature.length === 86;
  return { header: Buffer.from(header, 'base64url').toString(), claims, order, form, seconds: exp - iat };
}

const RANDOM = ['date', 'traceparent', 'x-correlation-id'];

/** All of a response but what is random. */
function comparable({ status, fields, body }: Received): unknown {
  const traceIds = /[0-9a-f]{32}/g;
  const shown = fields.filter(([name]) => !RANDOM.includes(name)).map((field) => field.join(': '));
  const random = fields.filter(([name]) => RANDOM.includes(name)).map(([name]) => name);
  const token = /"access_token":"([^"]+)"/.exec(body)?.[1];
  return {
    status,
    fields: [...shown, ...random].sort(),
    body: (token === undefined ? body : body.replace(token, 'TOKEN')).replaceAll(traceIds, 'TRACE'),
    token: token === undefined ? null : constantOf(token),
  };
}

/** Sends a request to the path, which may answer early, and with an empty query, which only the route answers. */
async function expectTheSame(sent: Sent): Promise<{ early: boolean; received: Received }> {
  const [received, routed] = await Promise.all([exchange(sent), exchange({ ...sent, path: `${sent.path}?` })]);
  assert.equal(isEarly(routed), false);
  assert.deepEqual(comparable(received), comparable(routed), JSON.stringify(sent));
  return { early: isEarly(received), received };
}

const FORM = 'content-type: application/x-www-form-urlencoded';
const asForm = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
const basic = (text: string) => `authorization: Basic ${Buffer.from(text).toString('base64')}`;
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(plain).filter(([name]) => !names.includes(name)));
const credentials = () => `${plain['client_id']}:${plain['client_secret']}`;
const token = (body: string, headers: string[] = [FORM], more: Partial<Sent> = {}): Sent => ({
  method: 'POST',
  path: '/connect/token',
  headers,
  body,
  ...more,
});

const DOCUMENTS = [
  '/connect/jwks',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/api/status/summary',
];

describe('a plain request is answered early, with the response of its route', () => {
  test('POST /connect/token, client_credentials', async () => {
    const { api } = latchkey.system.config.addresses.test;
    const plainRequests = [
      token(asForm(plain)),
      token(asForm({ ...plain, environment: 'test', scope: 'members:read' })),
      token(asForm({ ...plain, scope: 'members:read roles:read members:read', resource: api })),
      token(asForm(without('client_secret')), [FORM, basic(credentials())]),
      token(asForm(without('client_id', 'client_secret')), [FORM, basic(credentials())]),
      token(asForm(without('client_id', 'client_secret')), [FORM, basic(credentials().replaceAll('_', '%5F'))]),
      token(asForm(plain), [FORM, 'accept: text/html', 'cookie: a=b', 'user-agent: x', 'idempotency-key: 1']),
      token(asForm(plain), ['content-type: application/x-www-form-urlencoded; charset=UTF-8']),
      token(asForm(plain), [FORM, 'x-forwarded-for: 203.0.113.9', 'forwarded: for=203.0.113.9']),
    ];
    for (const sent of plainRequests) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early, received } = await expectTheSame(sent);
      assert.deepEqual([early, received.status], [true, 'HTTP/1.1 200 OK'], JSON.stringify(sent));
    }
  });

  test('POST /connect/token for an API', async () => {
    const api = await newApi(latchkey);
    const { clientId, secret } = await newMachine(latchkey, api, 'orders:read', 'orders:refund');
    const asked = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret ?? '' };
    for (const named of [{}, { resource: api.identifier }, { resource: api.identifier, scope: 'orders:read' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early, received } = await expectTheSame(token(asForm({ ...asked, ...named })));
      assert.deepEqual([early, received.status], [true, 'HTTP/1.1 200 OK'], received.body);
    }
  });

  test('public documents, also to a client that has them', async () => {
    for (const path of DOCUMENTS) {
      // biome-ignore lint/performance/noAwaitInLoops: one document at a time
      await exchange({ path });
      const { early, received } = await expectTheSame({ path });
      assert.equal(early, true, path);
      const etag = received.fields.find(([name]) => name === 'etag')?.[1];
      const again = await expectTheSame({ path, headers: [`if-none-match: ${etag}`] });
      assert.deepEqual([again.early, again.received.status], [true, 'HTTP/1.1 304 Not Modified']);
    }
  });

  test('GET /v1/me/context of a session that was read before', async () => {
    const { access_token: own, session } = await register(latchkey);
    const read = (scheme = 'Bearer', ...more: string[]): Sent => ({
      path: '/v1/me/context',
      at: 'api',
      headers: [`authorization: ${scheme} ${own}`, ...more],
    });
    const first = await exchange(read());
    assert.deepEqual([isEarly(first), first.status], [false, 'HTTP/1.1 200 OK']);
    for (const sent of [
      read(),
      read('bearer'),
      read('Bearer', 'accept: text/html', 'cookie: a=b', 'if-none-match: *'),
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early, received } = await expectTheSame(sent);
      const isPlain = !sent.headers?.includes('if-none-match: *');
      assert.deepEqual([early, received.status, received.body], [isPlain, first.status, first.body]);
    }
    const { status } = await latchkey.api(`/v1/me/security/sessions/${session.id}`, { method: 'DELETE', token: own });
    assert.equal(status, 204);
    const { early, received } = await expectTheSame(read());
    assert.deepEqual([early, received.status], [false, 'HTTP/1.1 401 Unauthorized']);
  });

  test('reads of the context that only the route decides on', async () => {
    const [person, other] = [await register(latchkey), await register(latchkey)];
    const read = (...headers: string[]): Sent => ({ path: '/v1/me/context', at: 'api', headers });
    const authorization = `authorization: Bearer ${person.access_token}`;
    await exchange(read(authorization));
    const machine = await managementToken(latchkey);
    const others = [
      read(),
      read(`authorization: DPoP ${person.access_token}`),
      read(`authorization: Bearer ${person.access_token.slice(0, -4)}AAAA`),
      read(`authorization: Bearer ${other.access_token}`),
      read(`authorization: Bearer ${machine}`),
      read(authorization, 'origin: https://evil.example'),
      read(authorization, `x-project-id: ${latchkey.demo.projects[1]?.id}`),
      { ...read(authorization), host: 'elsewhere.example' },
    ];
    for (const sent of others) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early } = await expectTheSame(sent);
      assert.equal(early, false, JSON.stringify(sent));
    }
  });

  test('it carries the correlation id and the trace of the caller', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = [FORM, 'x-correlation-id: order 4711', `traceparent: 00-${trace}-00f067aa0ba902b7-01`];
    const { fields } = await exchange(token(asForm(plain), headers));
    assert.equal(fields.find(([name]) => name === 'x-correlation-id')?.[1], 'order 4711');
    assert.match(
      fields.find(([name]) => name === 'traceparent')?.[1] ?? '',
      new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`),
    );
  });

  test('metrics count it as they count the route', async () => {
    const count = async () => {
      const metrics = await latchkey.system.metrics.metrics();
      const of =
        /^latchkey_http_request_duration_seconds_count\{host="auth",environment="test",route="\/connect\/token",status="200"\} (\d+)$/m;
      return Number(of.exec(metrics)?.[1] ?? 0);
    };
    const before = await count();
    await expectTheSame(token(asForm(plain)));
    assert.equal((await count()) - before, 2);
  });
});

describe('every other request goes on to its route, with its body', () => {
  test('forms that are refused, or that the provider has to read', async () => {
    const { client_secret: secret = '' } = plain;
    const others = [
      token(asForm({ ...plain, client_secret: `${secret}x` })),
      token(asForm({ ...plain, client_id: 'unknown' })),
      token(asForm({ ...plain, scope: 'members:read nothing:read' })),
      token(asForm({ ...plain, scope: ' members:read' })),
      token(asForm({ ...plain, projectId: latchkey.demo.projects[1]?.id ?? '' })),
      token(asForm({ ...plain, environment: 'production' })),
      token(asForm({ ...plain, environment: '' })),
      token(asForm(without('workspaceId'))),
      token(asForm({ ...plain, resource: 'https://unknown.example' })),
      token(asForm({ ...plain, resource: 'not an address' })),
      token(asForm({ ...plain, organization: 'org_1' })),
      token(asForm({ ...plain, unknown: 'parameter' })),
      token(asForm({ ...plain, grant_type: 'authorization_code', code: 'x' })),
      token(asForm({ ...plain, grant_type: 'password' })),
      token(`${asForm(plain)}&scope=members%3Aread&scope=roles%3Aread`),
      token(`${asForm(plain)}&client_id=x`),
      token(`${asForm(plain)}&client_assertion=x`),
      token(asForm(plain), [FORM, basic(credentials())]),
      token(asForm(without('client_secret')), [FORM, basic(`${credentials()}x`)]),
      token(asForm(without('client_secret')), [FORM, basic('nobody:nothing')]),
      token(asForm(without('client_secret')), [FORM, basic('no colon')]),
      token(asForm(without('client_secret')), [FORM, 'authorization: Bearer x']),
      token(asForm(without('client_secret')), [FORM, 'authorization: Basic !']),
      token(asForm(without('client_secret'))),
      token(asForm(plain), []),
      token(asForm(plain), ['content-type: application/json']),
      token(asForm(plain), ['content-type: application/x-www-form-urlencoded; charset=latin1']),
      token(''),
      token('=&&%'),
      token(asForm({ ...plain, state: 'x'.repeat(60_000) })),
    ];
    for (const sent of others) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early } = await expectTheSame(sent);
      assert.equal(early, false, JSON.stringify(sent));
    }
  });

  test('a form with unusual headers, in pieces or in chunks, or at another address', async () => {
    const { auth } = latchkey.system.config.ports.test;
    const others = [
      token(asForm(plain), [FORM, 'origin: https://app.example']),
      token(asForm(plain), [FORM, 'dpop: x']),
      token(asForm(plain), [FORM, 'x-workspace-id: x']),
      token(asForm(plain), [FORM, 'content-encoding: gzip']),
      token(asForm(plain), [FORM, `host: localhost:${auth}`]),
      token(asForm(plain), [FORM], { host: 'unknown.example' }),
      token(asForm(plain), [FORM], { pieces: true }),
      token(asForm(plain), [FORM, 'if-none-match: *']),
      ...['PUT', 'GET', 'DELETE', 'OPTIONS'].map((method) => token(asForm(plain), [FORM], { method })),
    ];
    for (const sent of others) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early } = await expectTheSame(sent);
      assert.equal(early, false, JSON.stringify(sent));
    }
    const text = asForm(plain);
    const chunk = ['', text.length.toString(16), text, '0', ''];
    const headers = [FORM, 'transfer-encoding: chunked', ...chunk];
    const { received } = await expectTheSame({ method: 'POST', path: '/connect/token', headers });
    assert.equal(received.status, 'HTTP/1.1 200 OK', received.body);
  });

  test('documents by HEAD, with other conditions, from another origin', async () => {
    const path = '/connect/jwks';
    await exchange({ path });
    const others: Sent[] = [
      { path, method: 'HEAD' },
      { path, method: 'POST' },
      { path, headers: ['if-none-match: *'] },
      { path, headers: ['if-none-match: "other"'] },
      { path, headers: ['origin: https://app.example'] },
      { path, headers: ['x-environment: test'] },
      { path, host: 'unknown.example' },
    ];
    for (const sent of others) {
      // biome-ignore lint/performance/noAwaitInLoops: one pair of requests at a time
      const { early } = await expectTheSame(sent);
      assert.equal(early, false, JSON.stringify(sent));
    }
  });

  test('of a source that reached its limit', async () => {
    const { points } = SOURCE_COUNTERS.client;
    const counts = sourceCounts(latchkey.system);
    counts.add('client', '127.0.0.1/32', points);
    try {
      const { early, received } = await expectTheSame(token(asForm(plain)));
      assert.deepEqual([early, received.status.split(' ')[1]], [false, '429']);
    } finally {
      counts.add('client', '127.0.0.1/32', -points);
    }
    assert.equal((await expectTheSame(token(asForm(plain)))).early, true);
  });

  test('of a client that was disabled', async () => {
    const { id, clientId, secret } = await newMachine(latchkey, await newApi(latchkey), 'orders:read');
    await admin(latchkey, `applications/${id}`, { method: 'PATCH', body: { enabled: false } });
    const own = { ...plain, client_id: clientId, client_secret: secret ?? '' };
    const { early, received } = await expectTheSame(token(asForm(own)));
    assert.deepEqual([early, received.status.split(' ')[1]], [false, '401']);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { after, before, beforeEach, describe, mock, test } from 'node:test';
import { createApiClient, ProblemError } from './index.ts';
import { pauseBefore } from './repeat.ts';

/** How the server meets a request: a status, with a `Retry-After`, or a connection that breaks. */
type Reply = { status: number; retryAfter?: string } | 'broken';
let replies: Reply[] = [];
let requests: IncomingMessage[] = [];
const server = createServer((request, response) => {
  requests.push(request);
  const reply = replies.shift() ?? { status: 200 };
  if (reply === 'broken') return request.socket.destroy();
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    ...(reply.retryAfter !== undefined && { 'retry-after': reply.retryAfter }),
  });
  return response.end('{}');
});
let baseUrl = '';
before(async () => {
  // The pause after a broken connection is a random part of its longest.
  mock.method(Math, 'random', () => 0);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const at = server.address();
  assert.ok(at !== null && typeof at === 'object');
  baseUrl = `http://127.0.0.1:${at.port}`;
});
after(() => {
  mock.restoreAll();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  replies = [];
  requests = [];
});

const busy: Reply = { status: 503, retryAfter: '0' };
const limited: Reply = { status: 429, retryAfter: '0' };
const api = (token?: () => Promise<string>) => createApiClient({ baseUrl, ...(token && { token }) });
const addMember = () => api().post('/v1/admin/members', { body: { email: 'ada@example.com' } });
const keys = () => requests.map(({ headers }) => headers['idempotency-key']);
const hasStatus = (status: number) => (error: unknown) => error instanceof ProblemError && error.status === status;

describe('repetition', () => {
  test('a read is repeated after 429, 503 and a broken connection', async () => {
    replies = [limited, busy, 'broken'];
    assert.equal((await api().get('/v1/admin/members')).status, 200);
    assert.equal(requests.length, 4);
  });

  test('a write with an idempotency key is repeated with the same key, and the next call has another', async () => {
    replies = [busy, 'broken', limited];
    await addMember();
    const [first, ...others] = keys();
    assert.ok(first);
    assert.deepEqual(others, [first, first, first]);
    requests = [];
    await addMember();
    assert.notEqual(keys()[0], first);
  });

  test('other writes are sent once', async () => {
    const path = { memberId: 'mem_1' };
    replies = [busy];
    await assert.rejects(api().patch('/v1/admin/members/{memberId}', { path, body: {} }), hasStatus(503));
    replies = [limited];
    await assert.rejects(api().delete('/v1/admin/members/{memberId}', { path }), hasStatus(429));
    replies = ['broken'];
    await assert.rejects(api().delete('/v1/admin/members/{memberId}', { path }), TypeError);
    assert.equal(requests.length, 3);
    assert.deepEqual(keys(), [undefined, undefined, undefined]);
  });

  test('the fourth refusal is final, and so is the fourth broken connection', async () => {
    replies = Array.from({ length: 9 }, () => busy);
    await assert.rejects(addMember(), hasStatus(503));
    assert.equal(requests.length, 4);
    replies = Array.from({ length: 9 }, () => 'broken' as const);
    await assert.rejects(addMember(), TypeError);
    assert.equal(requests.length, 8);
  });

  test('other refusals are final', async () => {
    for (const status of [400, 401, 404, 409, 500, 502]) {
      replies = [{ status, retryAfter: '0' }];
      // biome-ignore lint/performance/noAwaitInLoops: one response after the other
      await assert.rejects(addMember(), hasStatus(status));
    }
    assert.equal(requests.length, 6);
  });
});

describe('the attempts of a call', () => {
  test('a pause of more than a minute is left to the caller', async () => {
    replies = [{ status: 429, retryAfter: '61' }];
    await assert.rejects(addMember(), hasStatus(429));
    assert.equal(requests.length, 1);
  });

  test('each attempt asks for the token', async () => {
    const tokens = ['first', 'second'];
    replies = [busy];
    await api(async () => tokens.shift() ?? '').get('/v1/admin/members');
    assert.deepEqual(
      requests.map(({ headers }) => headers.authorization),
      ['Bearer first', 'Bearer second'],
    );
  });

  test('the signal of the caller ends a pause, and a call that has not begun', async () => {
    const controller = new AbortController();
    replies = [{ status: 503, retryAfter: '60' }];
    server.once('request', (_, response) =>
      response.once('close', () => controller.abort(new Error('The caller left.'))),
    );
    const call = () => api().get('/v1/admin/members', { signal: controller.signal });
    await assert.rejects(call(), /The caller left/);
    await assert.rejects(call(), /The caller left/);
    assert.equal(requests.length, 1);
  });
});

test('Retry-After is read as seconds and as a date; without it the pause grows', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-01T00:00:00Z') });
  t.mock.method(Math, 'random', () => 1);
  assert.equal(pauseBefore(1, '7'), 7_000);
  assert.equal(pauseBefore(1, 'Thu, 01 Jan 2026 00:00:09 GMT'), 9_000);
  assert.equal(pauseBefore(1, 'Wed, 31 Dec 2025 00:00:00 GMT'), 0);
  assert.deepEqual(
    [null, '', 'soon'].map((value, index) => pauseBefore(index + 1, value)),
    [500, 1_000, 2_000],
  );
});

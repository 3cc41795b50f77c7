import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  managementToken,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type MailServer, startMailServer } from '#tests/mail-server.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';

type Exported = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  status: { code?: number };
  attributes: { key: string; value: Record<string, unknown> }[];
};

let latchkey: TestLatchkey;
let receiver: Receiver;
let mailServer: MailServer;
let traced: SecondProcess;
before(async () => {
  // The process with traces does all work outside of requests.
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_ROLES: 'auth,api,console' } });
  receiver = await startReceiver();
  mailServer = await startMailServer();
  traced = await startSecondProcess(latchkey, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of the collector',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=shop-identity',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    LATCHKEY_SMTP_URL: mailServer.url.replace('127.0.0.1', 'localhost'),
  });
});
after(async () => {
  await traced.stop();
  await receiver.stop();
  await mailServer.stop();
  await latchkey.stop();
});

function exports(): string[] {
  return receiver.at('/v1/traces').map(({ body }) => body);
}

function spansOf(traceId: string): Exported[] {
  const spans: Exported[] = exports()
    .flatMap((body) => JSON.parse(body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans: all }) => all);
  return spans.filter((span) => span.traceId === traceId);
}

function attributesOf({ attributes }: Exported): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A trace that the caller began. */
function newTrace(flags = '01') {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } };
}

const clientId = () => latchkey.demo.environments.test.clientId;
const login = (body: Record<string, string>, headers: Record<string, string>) =>
  traced.auth('/v1/auth/login/password', { clientId: clientId(), ...body }, headers);

async function traceIdOf(response: Response): Promise<string> {
  const { traceId }: { traceId?: unknown } = Object(await response.json());
  return String(traceId);
}

describe('traces', () => {
  test('contain a span for a request, its statements and hashes in the caller’s trace, whose id is in the problem', async () => {
    const email = newEmail();
    const { traceId, spanId, headers } = newTrace();
    const response = await login(
      { identifier: email, password: 'a secret of mine' },
      { ...headers, 'user-agent': 'agent of mine' },
    );
    assert.deepEqual(await traceIdOf(response), traceId);
    const spans = await eventually(async () => {
      const found = spansOf(traceId);
      assert.ok(found.some(({ name }) => name === 'POST /v1/auth/login/password'));
      return found;
    });
    const server = spans.find(({ name }) => name.startsWith('POST'));
    assert.ok(server);
    assert.equal(server.parentSpanId, spanId);
    assert.equal(response.headers.get('traceparent'), `00-${traceId}-${server.spanId}-01`);
    const { 'http.response.status_code': status, 'http.route': route } = attributesOf(server);
    assert.deepEqual([Number(status), route], [401, '/v1/auth/login/password']);
    const hash = spans.find(({ name }) => name === 'hash password');
    const statement = spans.find(({ name }) => name === 'SELECT');
    assert.equal(hash?.parentSpanId, server.spanId);
    assert.ok(statement && spans.some((span) => span.spanId === statement.parentSpanId));
    assert.match(String(attributesOf(statement)['db.query.text']), /select/i);
    const [first = ''] = exports();
    assert.match(first, /shop-identity/);
    assert.equal(receiver.at('/v1/traces')[0]?.headers['x-key'], 'of the collector');
    for (const secret of [email, 'a secret of mine', 'agent of mine', '127.0.0.1', latchkey.demo.workspaceId])
      assert.ok(!exports().some((body) => body.includes(secret)), secret);
  });

  test('continue in the jobs, mails and webhooks of a request, and receivers of webhooks get the traceparent', async () => {
    const token = await managementToken(latchkey);
    const endpoint = await latchkey.api('/v1/admin/webhooks/endpoints', {
      token,
      body: { url: `${receiver.origin}/hook`, events: ['user.login_failed'] },
    });
    assert.equal(endpoint.status, 201, endpoint.text);
    const { traceId, headers } = newTrace();
    await login({ identifier: newEmail(), password: PASSWORD }, headers);
    const { email } = latchkey.demo.environments.test.owner;
    await traced.auth('/v1/auth/password/forgot', { clientId: clientId(), identifier: email }, headers);
    await eventually(async () => {
      const spans = spansOf(traceId);
      const job = spans.find(({ name }) => name === 'job send_message');
      assert.ok(job && spans.some(({ spanId }) => spanId === job.parentSpanId));
      const mail = spans.find(({ name, parentSpanId }) => name === 'send mail' && parentSpanId === job.spanId);
      assert.deepEqual(mail && attributesOf(mail), { 'server.address': 'localhost' });
      const delivery = spans.find(({ name }) => name === 'deliver webhook');
      const sent = spans.find((span) => span.name === 'POST' && span.parentSpanId === delivery?.spanId);
      assert.ok(sent);
      assert.equal(Number(attributesOf(sent)['http.response.status_code']), 200);
      const carried = receiver.at('/hook').map((received) => received.headers['traceparent']);
      assert.ok(carried.includes(`00-${traceId}-${sent.spanId}-01`), carried.join());
    });
  });

  test('are not exported if the caller does not sample them; a malformed traceparent starts a new trace', async () => {
    const unsampled = newTrace('00');
    const response = await traced.auth('/v1/none', {}, unsampled.headers);
    assert.match(response.headers.get('traceparent') ?? '', new RegExp(`^00-${unsampled.traceId}-[0-9a-f]{16}-00$`));
    for (const traceparent of ['no traceparent', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const other = await login({ identifier: newEmail(), password: PASSWORD }, { traceparent });
      const traceId = await traceIdOf(other);
      assert.match(traceId, /^(?!0{32})[0-9a-f]{32}$/);
      await eventually(async () => assert.ok(spansOf(traceId).some(({ name }) => name.startsWith('POST'))));
    }
    assert.deepEqual(spansOf(unsampled.traceId), []);
  });

  test('load no SDK while they are off', async () => {
    assert.equal(latchkey.system.tracer, null);
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    assert.deepEqual(
      loaded.filter((path) => /@opentelemetry\/(?:sdk|exporter)/.test(path)),
      [],
    );
    const response = await latchkey.auth('/v1/none');
    assert.match(response.headers.get('traceparent') ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

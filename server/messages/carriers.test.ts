import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { segmentsOf, subscribe } from '#billing';
import { type LocalCarrier, smsRows, startCarrier } from '#tests/carrier.ts';
import { eventually, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type SecondProcess, startSecondProcess } from '#tests/second-process.ts';
import { sendMessage } from './messages.ts';
import { settleAbandoned } from './texts.ts';

/** A messaging service of Twilio. */
const SERVICE = `MG${'0a'.repeat(16)}`;
const production = { environment: 'production' } as const;
const subscribed = (latchkey: TestLatchkey) => latchkey.inProject((tx) => subscribe(tx, 'growth'), production);
const send = (latchkey: TestLatchkey, to: string, code = '12345678') =>
  latchkey.inProject((tx) => sendMessage(tx, { template: 'sms_code', to, variables: { code } }), production);
const lastIs = (latchkey: TestLatchkey, status: string) =>
  eventually(async () => {
    const { last, ...rest } = await smsRows(latchkey);
    assert.equal(last.status, status, JSON.stringify(last));
    return { last, ...rest };
  });

describe('counting segments', () => {
  test('SMS-1 GSM-7 at 160 and 153, its extension table twice, UCS-2 at 70 and 67, emoji by code units', () => {
    const cases: [text: string, encoding: string, segments: number][] = [
      ['', 'GSM-7', 1],
      ['a'.repeat(160), 'GSM-7', 1],
      ['a'.repeat(161), 'GSM-7', 2],
      ['a'.repeat(306), 'GSM-7', 2],
      ['a'.repeat(307), 'GSM-7', 3],
      ['€'.repeat(80), 'GSM-7', 1],
      ['€'.repeat(81), 'GSM-7', 2],
      ['Ä é ñ Δ', 'GSM-7', 1],
      ['ж'.repeat(70), 'UCS-2', 1],
      ['ж'.repeat(71), 'UCS-2', 2],
      ['ж'.repeat(135), 'UCS-2', 3],
      ['あなたのコード', 'UCS-2', 1],
      ['😀'.repeat(35), 'UCS-2', 1],
      ['😀'.repeat(36), 'UCS-2', 2],
    ];
    for (const [text, encoding, segments] of cases)
      assert.deepEqual(segmentsOf(text), { encoding, segments }, `${text.slice(0, 3)} × ${text.length}`);
  });
});

describe('SMS carriers', () => {
  let carrier: LocalCarrier;
  let latchkey: TestLatchkey;
  const receiptSecret = Buffer.from('a receipt secret of 32 bytes ....').toString('base64');
  before(async () => {
    carrier = await startCarrier();
    latchkey = await startTestLatchkey({
      settings: {
        LATCHKEY_SMS_URL: [
          `twilio://AC123:to%2Fken@${carrier.host}?from=%2B15550100&from.DE=Shop&from.AT=${SERVICE}&insecure=1`,
          `vonage://key:secret@${carrier.host}?from=Shop&insecure=1&signatureSecret=vonage-signature`,
          `http://bearer-token@${carrier.host}/send?from=Shop&insecure=1&receiptSecret=${encodeURIComponent(receiptSecret)}`,
        ].join(','),
      },
    });
    await subscribed(latchkey);
  });
  after(async () => {
    await latchkey.stop();
    carrier.stop();
  });
  beforeEach(() => {
    carrier.calls.length = 0;
    carrier.responses.clear();
  });
  const asked = () => carrier.calls.map((call) => call.carrier);

  test('SMS-2 Twilio gets a form with Basic authentication, and the sender of the country', async () => {
    await send(latchkey, '+12125550123');
    const { last } = await lastIs(latchkey, 'sent');
    const [call] = carrier.calls;
    assert.deepEqual(asked(), ['twilio']);
    assert.equal(call?.path, '/2010-04-01/Accounts/AC123/Messages.json');
    assert.equal(call?.headers.authorization, `Basic ${Buffer.from('AC123:to/ken').toString('base64')}`);
    const { api } = latchkey.system.config.addresses.production;
    assert.deepEqual(Object.fromEntries(new URLSearchParams(call?.body)), {
      To: '+12125550123',
      From: '+15550100',
      Body: '12345678 is your Shop code. Do not share it.',
      StatusCallback: `${api}/v1/callbacks/sms/twilio?reference=${last.workspace_id}.${last.id}`,
    });
    await send(latchkey, '+4915112345678');
    await lastIs(latchkey, 'sent');
    assert.equal(new URLSearchParams(carrier.calls[1]?.body).get('From'), 'Shop');
    await send(latchkey, '+436641234567');
    await lastIs(latchkey, 'sent');
    const { From, MessagingServiceSid } = Object.fromEntries(new URLSearchParams(carrier.calls[2]?.body));
    assert.deepEqual([From, MessagingServiceSid], [undefined, SERVICE]);
  });

  test('SMS-2 when a carrier fails, the next one is tried: Vonage in JSON, in the encoding that the text needs', async () => {
    carrier.responses.set('twilio', { status: 500, body: {} });
    await send(latchkey, '+4915112345679');
    const { last } = await lastIs(latchkey, 'sent');
    assert.deepEqual([asked(), last.provider], [['twilio', 'vonage'], 'vonage']);
    const { callback, ...body } = JSON.parse(carrier.calls[1]?.body ?? '{}');
    assert.match(callback, /\/v1\/callbacks\/sms\/vonage/);
    assert.deepEqual(body, {
      api_key: 'key',
      api_secret: 'secret',
      to: '4915112345679',
      from: 'Shop',
      text: '12345678 is your Shop code. Do not share it.',
      type: 'text',
      'client-ref': `${last.workspace_id}.${last.id}`,
    });
    await send(latchkey, '+4915112345679', 'ж');
    await lastIs(latchkey, 'sent');
    assert.equal(JSON.parse(carrier.calls[3]?.body ?? '{}').type, 'unicode');
  });

  test('SMS-2 Vonage’s own error in a 200 counts as a failure; the generic carrier is last, with an idempotency key', async () => {
    carrier.responses.set('twilio', { status: 429, body: { code: 20429 } });
    carrier.responses.set('vonage', { status: 200, body: { messages: [{ status: '9' }] } });
    await send(latchkey, '+4915112345670');
    const { last } = await lastIs(latchkey, 'sent');
    const call = carrier.calls.at(-1);
    assert.deepEqual([call?.path, call?.headers.authorization], ['/send?from=Shop&insecure=1', 'Bearer bearer-token']);
    assert.equal(call?.headers['idempotency-key'], last.id);
    const { receiptUrl: _url, ...body } = JSON.parse(call?.body ?? '{}');
    assert.deepEqual(body, {
      id: last.id,
      to: '+4915112345670',
      from: 'Shop',
      text: '12345678 is your Shop code. Do not share it.',
      reference: `${last.workspace_id}.${last.id}`,
    });
  });

  test('SMS-2 a number that every carrier refuses ends the message: no other carrier is tried, and nothing is metered', async () => {
    const before = await smsRows(latchkey);
    carrier.responses.set('twilio', { status: 400, body: { code: 21211 } });
    await send(latchkey, '+4915112345671');
    const { last, segments, period } = await lastIs(latchkey, 'failed');
    assert.deepEqual(asked(), ['twilio']);
    assert.match(last.error, /21211/);
    assert.deepEqual([segments.length, period], [before.segments.length, before.period]);
    const { rows } = await latchkey.system.pool.query(`select data from events where type = 'sms.failed'`);
    assert.ok(rows.some(({ data }) => data.messageId === last.id));
  });

  test('SMS-2 when every carrier fails, the queue retries, and the message is metered once', async () => {
    const before = await smsRows(latchkey);
    for (const name of ['twilio', 'vonage', 'generic']) carrier.responses.set(name, { status: 503, body: {} });
    await send(latchkey, '+4915112345672');
    await eventually(async () => assert.equal(asked().length, 3));
    await lastIs(latchkey, 'queued');
    carrier.responses.clear();
    await eventually(async () => {
      await latchkey.system.pool.query(
        'update graphile_worker._private_jobs set run_at = now() where locked_at is null',
      );
      assert.equal((await smsRows(latchkey)).last.status, 'sent');
    });
    assert.equal((await smsRows(latchkey)).segments.length, before.segments.length + 1);
  });

  describe('delivery receipts', () => {
    const post = (url: string, body: string, headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body, headers });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const json = { 'content-type': 'application/json' };
    const twilio = (url: string, fields: Record<string, string>, key = 'to/ken') => {
      const signed =
        url +
        Object.keys(fields)
          .sort()
          .map((name) => name + fields[name])
          .join('');
      const signature = createHmac('sha1', key).update(signed).digest('base64');
      return post(url, new URLSearchParams(fields).toString(), { ...form, 'x-twilio-signature': signature });
    };

    test('SMS-3 Twilio signs address and form; a receipt that is not signed with the token changes nothing', async () => {
      await send(latchkey, '+4915112340001');
      const { last } = await lastIs(latchkey, 'sent');
      const url = new URLSearchParams(carrier.calls[0]?.body).get('StatusCallback') ?? '';
      const delivered = { MessageSid: 'SM1', MessageStatus: 'delivered' };
      assert.equal((await twilio(url, delivered, 'guessed')).status, 401);
      assert.equal((await twilio(url.replace(last.id, `${last.id.slice(0, -1)}0`), delivered, 'guessed')).status, 401);
      assert.equal((await smsRows(latchkey)).last.status, 'sent');
      assert.equal((await twilio(url, { ...delivered, MessageStatus: 'sent' })).status, 204);
      assert.equal((await smsRows(latchkey)).last.status, 'sent');
      assert.deepEqual([(await twilio(url, delivered)).status, (await twilio(url, delivered)).status], [204, 204]);
      assert.equal((await smsRows(latchkey)).last.status, 'delivered');
      const { rows } = await latchkey.system.pool.query(
        `select type from events where type like 'sms.%' and data->>'messageId' = $1 order by id`,
        [last.id],
      );
      assert.deepEqual(
        rows.map(({ type }) => type),
        ['sms.sent', 'sms.delivered'],
      );
    });

    test('SMS-3 Vonage signs the fields; its receipt reports a message that was not delivered', async () => {
      carrier.responses.set('twilio', { status: 500, body: {} });
      await send(latchkey, '+4915112340002');
      await lastIs(latchkey, 'sent');
      const { callback, 'client-ref': reference } = JSON.parse(carrier.calls[1]?.body ?? '{}');
      const fields = {
        'client-ref': reference,
        'err-code': '5',
        msisdn: '4915112340002',
        status: 'failed',
        nonce: 'a&b',
      };
      const signed = Object.entries(fields)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `&${name}=${value.replaceAll('&', '_')}`)
        .join('');
      const sig = createHmac('sha256', 'vonage-signature').update(signed).digest('hex').toUpperCase();
      const forged = await post(callback, JSON.stringify({ ...fields, status: 'delivered', sig }), json);
      assert.equal(forged.status, 401);
      assert.equal((await post(callback, JSON.stringify({ ...fields, sig }), json)).status, 204);
      const { last } = await smsRows(latchkey);
      assert.deepEqual([last.status, last.error], ['undelivered', 'failed: 5']);
    });

    test('SMS-3 other carriers sign by Standard Webhooks; an old receipt is refused', async () => {
      for (const name of ['twilio', 'vonage']) carrier.responses.set(name, { status: 500, body: {} });
      await send(latchkey, '+4915112340003');
      await lastIs(latchkey, 'sent');
      const { receiptUrl, reference } = JSON.parse(carrier.calls[2]?.body ?? '{}');
      const body = JSON.stringify({ reference, status: 'delivered' });
      const report = (time: number) => {
        const signature = createHmac('sha256', Buffer.from(receiptSecret, 'base64')).update(`r1.${time}.${body}`);
        return post(receiptUrl, body, {
          ...json,
          'webhook-id': 'r1',
          'webhook-timestamp': String(time),
          'webhook-signature': `v1,${signature.digest('base64')}`,
        });
      };
      const now = Math.floor(Date.now() / 1000);
      assert.equal((await report(now - 600)).status, 401);
      assert.equal((await report(now)).status, 204);
      assert.equal((await smsRows(latchkey)).last.status, 'delivered');
    });
  });
});

describe('a worker is killed between the carrier’s acceptance and the ledger', () => {
  const clock = new TestClock();
  let carrier: LocalCarrier;
  let latchkey: TestLatchkey;
  let workers: SecondProcess[] = [];
  before(async () => {
    carrier = await startCarrier();
    // This process serves; only the processes that are killed send.
    latchkey = await startTestLatchkey({
      clock,
      settings: { LATCHKEY_ROLES: 'auth,api,console', LATCHKEY_SMS_URL: smsUrl('twilio').LATCHKEY_SMS_URL },
    });
    await subscribed(latchkey);
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await latchkey.stop();
    carrier.stop();
  });
  beforeEach(() => {
    carrier.calls.length = 0;
  });
  const smsUrl = (protocol: 'twilio' | 'http') => ({
    LATCHKEY_SMS_URL:
      protocol === 'twilio' ? `twilio://AC123:token@${carrier.host}?insecure=1` : `http://${carrier.host}/send`,
  });
  const startWorker = async (protocol: 'twilio' | 'http') => {
    const worker = await startSecondProcess(latchkey, { LATCHKEY_ROLES: 'worker', ...smsUrl(protocol) });
    workers = [...workers, worker];
    return worker;
  };
  /** Sends a message whose worker dies during the carrier's request. */
  const sendAndKill = async (protocol: 'twilio' | 'http', to: string) => {
    const worker = await startWorker(protocol);
    const killed = new Promise((resolve) => worker.child.once('exit', resolve));
    carrier.onCall = () => worker.child.kill('SIGKILL');
    await send(latchkey, to);
    await killed;
    carrier.onCall = () => undefined;
    assert.equal(carrier.calls.length, 1, 'the carrier took the message');
  };

  /**
   * Advances the clock until a message of a killed worker counts as abandoned; the workers have clocks of their own.
   */
  const giveUpWaiting = () => clock.advance(Date.now() - clock.now().getTime() + 180_000);

  test('SMS-4 with a carrier that may send duplicates: metered once, not sent again', async () => {
    await sendAndKill('twilio', '+4915112341111');
    const after = await smsRows(latchkey);
    assert.deepEqual(
      [after.last.status, after.segments.length, after.period],
      ['sending', 0, { used: 0, reserved: 1 }],
    );
    await settleAbandoned(latchkey.system);
    assert.equal((await smsRows(latchkey)).last.status, 'sending', 'it may still be on its way');
    giveUpWaiting();
    await Promise.all([settleAbandoned(latchkey.system), settleAbandoned(latchkey.system)]);
    await startWorker('twilio');
    await send(latchkey, '+4915112342222');
    const { messages, segments, period } = await lastIs(latchkey, 'sent');
    assert.deepEqual([messages[0].status, period], ['sent', { used: 2, reserved: 0 }]);
    assert.deepEqual(segments.map(({ reference }) => reference).sort(), messages.map(({ id }) => id).sort());
    assert.equal(carrier.calls.length, 2, 'one request for each message');
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  test('SMS-4 with a carrier that detects repeated requests: sent again with the same key, metered once', async () => {
    const { LATCHKEY_SMS_URL } = smsUrl('http');
    const system = { ...latchkey.system, config: { ...latchkey.system.config, smsUrls: [LATCHKEY_SMS_URL] } };
    await sendAndKill('http', '+4915112343333');
    giveUpWaiting();
    await settleAbandoned(system);
    await startWorker('http');
    const { last, segments, period } = await lastIs(latchkey, 'sent');
    assert.deepEqual(
      carrier.calls.map(({ headers }) => headers['idempotency-key']),
      [last.id, last.id],
    );
    assert.equal(segments.filter(({ reference }) => reference === last.id).length, 1);
    assert.deepEqual(period, { used: 3, reserved: 0 });
  });

  test('SMS-4 a message that waited past its expiry releases its segments', async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await latchkey.inProject(
      (tx) =>
        sendMessage(tx, {
          template: 'sms_code',
          to: '+4915112344444',
          variables: { code: '12345678' },
          expiresAt: new Date(tx.now.getTime() + 600_000),
        }),
      production,
    );
    assert.equal((await smsRows(latchkey)).period.reserved, 1);
    clock.advance(601_000);
    await settleAbandoned(latchkey.system);
    const { last, period } = await smsRows(latchkey);
    assert.deepEqual([last.status, period.reserved], ['expired', 0]);
  });
});

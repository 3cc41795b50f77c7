import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { segmentsOf, subscribe } from '#billing';
import { type LocalCarrier, startCarrier } from '#tests/carrier.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { elsewhere, newMobile } from '#tests/visitors.ts';
import { seedComponents } from './components.ts';
import { heedArrivals } from './suspensions.ts';

const TIER = { id: 'huge', name: 'Huge', currency: 'EUR', monthlyPrice: 900, included: 20, overagePrice: 8 };
const TIERS = [{ ...TIER, hardCap: 9_000, countries: ['DE'] }];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const clock = new TestClock();
let carrier: LocalCarrier;
let latchkey: TestLatchkey;
before(async () => {
  carrier = await startCarrier();
  latchkey = await startTestLatchkey({
    clock,
    settings: {
      LATCHKEY_SMS_TIERS: JSON.stringify(TIERS),
      LATCHKEY_SMS_URL: `twilio://AC123:token@${carrier.host}?from=Shop&insecure=1`,
    },
  });
  await seedComponents(latchkey.system);
  await latchkey.inProject((tx) => subscribe(tx, 'huge'), { environment: 'production' });
  const changed = await admin('settings', { method: 'PATCH', body: { textMessages: true } });
  assert.equal(changed.status, 200, changed.text);
  clock.advance(31_000);
  await eventually(async () =>
    assert.ok((await visit('/api/status/summary')).body.subscriptionChannels.includes('sms')),
  );
});
after(async () => {
  await latchkey.stop();
  carrier.stop();
});
beforeEach(() => {
  carrier.calls.length = 0;
  // The guard lets a number have five messages an hour.
  clock.advance(2 * HOUR);
});

const visit = (path: string, body?: unknown, headers: Record<string, string> = elsewhere()): Promise<TestResponse> =>
  latchkey.console(path, { headers, ...(body !== undefined && { body }) });
const admin = async (path: string, options: { method?: string; body?: unknown } = {}): Promise<TestResponse> =>
  latchkey.api(
    `/v1/admin/status/${path}`,
    { token: await managementToken(latchkey, undefined, 'production'), ...options },
    'production',
  );

const formsTo = (phone: string): URLSearchParams[] =>
  carrier.calls.map(({ body }) => new URLSearchParams(body)).filter((form) => form.get('To') === phone);

async function lastForm(phone: string, count = 1): Promise<URLSearchParams> {
  return eventually(async () => {
    const forms = formsTo(phone);
    const last = forms.at(-1);
    assert.ok(last && forms.length === count, JSON.stringify(carrier.calls));
    return last;
  });
}

async function subscribed(): Promise<string> {
  const phone = newMobile();
  const body = { consent: 'They asked on paper.', subscribers: [{ phone }] };
  assert.deepEqual((await admin('subscribers/import', { body })).body, { added: 1, skipped: 0 });
  return phone;
}

const subscriber = async (address: string): Promise<TestResponse['body']> => {
  const { body } = await admin('subscribers?limit=100');
  return body.items.find((one: { address: string }) => one.address === address);
};
const stateOf = async (address: string) => {
  const { state, suspendedReason } = await subscriber(address);
  return [state, suspendedReason];
};
const unreached = async (address: string): Promise<number> => {
  const { rows } = await latchkey.system.pool.query('select unreached from status_subscribers where address = $1', [
    address,
  ]);
  return rows[0].unreached;
};
const suspensionsOf = async (address: string): Promise<string[]> => {
  const { rows } = await latchkey.system.pool.query(
    `select e.data->>'reason' as reason from events e join status_subscribers s on s.id = e.data->>'subscriberId'
     where e.type = 'status.subscriber.quarantined' and s.address = $1 /* all workspaces */`,
    [address],
  );
  return rows.map(({ reason }) => reason);
};

let incidents = 0;
/** Tells the subscribers something. */
async function notify(): Promise<void> {
  incidents += 1;
  const body = { title: `Incident ${incidents}`, body: 'x', severity: 'minor', componentIds: [] };
  assert.equal((await admin('incidents', { body })).status, 201);
}

/** The carrier reports the newest message to a number. */
async function report(form: URLSearchParams, fields: Record<string, string>, token = 'token'): Promise<number> {
  const url = form.get('StatusCallback') ?? '';
  const signed = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  const signature = createHmac('sha1', token)
    .update(url + signed)
    .digest('base64');
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'x-twilio-signature': signature },
    body: new URLSearchParams(fields),
  });
  return status;
}
const undelivered = (ErrorCode: string) => ({ MessageStatus: 'undelivered', ErrorCode });

describe('reports of the carrier', () => {
  test('a number that does not exist is suspended at once; a fault of the carrier suspends nobody', async () => {
    const [gone, kept] = [await subscribed(), await subscribed()];
    await notify();
    const [toGone, toKept] = [await lastForm(gone), await lastForm(kept)];
    assert.equal(await report(toGone, undelivered('30005'), 'guessed'), 401);
    assert.equal(await report(toKept, undelivered('30002')), 204);
    assert.equal(await report(toGone, undelivered('30005')), 204);
    await eventually(async () => assert.deepEqual(await stateOf(gone), ['quarantined', 'bounce']));
    assert.equal((await subscriber(gone)).suspendedAt, clock.now().toISOString());
    assert.deepEqual([await stateOf(kept), await unreached(kept)], [['active', null], 0]);
    assert.deepEqual(await suspensionsOf(gone), ['bounce']);
    const { body } = await admin('subscribers?channel=sms&state=quarantined');
    assert.ok(body.items.some(({ address }: { address: string }) => address === gone));
    await notify();
    await lastForm(kept, 2);
    assert.equal(formsTo(gone).length, 1);
  });

  test('the third message in a row that did not arrive suspends, a day after the first, and one that arrives starts the count again', async () => {
    const [off, on] = [await subscribed(), await subscribed()];
    for (const count of [1, 2, 3]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await notify();
      const [toOff, toOn] = [await lastForm(off, count), await lastForm(on, count)];
      const again = await Promise.all([1, 2, 3].map(() => report(toOff, undelivered('30003'))));
      assert.deepEqual(again, [204, 204, 204]);
      await eventually(async () => assert.equal(await unreached(off), count, 'a repeated report counts once'));
      await report(toOn, count === 3 ? { MessageStatus: 'delivered' } : undelivered('30003'));
      await eventually(async () => assert.equal(await unreached(on), count === 3 ? 0 : count));
    }
    assert.deepEqual(await stateOf(off), ['active', null], 'a phone may be off for a day');
    clock.advance(DAY);
    await notify();
    await report(await lastForm(off, 4), undelivered('30003'));
    await report(await lastForm(on, 4), undelivered('30003'));
    await eventually(async () => assert.deepEqual(await stateOf(off), ['quarantined', 'unreached']));
    await eventually(async () => assert.equal(await unreached(on), 1));
    assert.deepEqual(await stateOf(on), ['active', null]);
  });

  test('parallel reports suspend a subscriber once', async () => {
    const phone = await subscribed();
    await notify();
    await report(await lastForm(phone), undelivered('30003'));
    await eventually(async () => assert.equal(await unreached(phone), 1));
    clock.advance(DAY);
    for (const _ of [1, 2, 3, 4]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await notify();
    }
    await lastForm(phone, 5);
    await Promise.all(formsTo(phone).map((form) => report(form, undelivered('30003'))));
    await eventually(async () => assert.deepEqual(await stateOf(phone), ['quarantined', 'unreached']));
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select from graphile_worker.jobs where task_identifier = 'message_arrival'`,
      );
      assert.equal(rows.length, 0);
    });
    assert.deepEqual(await suspensionsOf(phone), ['unreached']);
  });

  test('mails follow the same rule, and only on the page that sent them', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const body = { consent: 'They asked on paper.', subscribers: [{ email }, { email: other }] };
    await admin('subscribers/import', { body });
    const { workspaceId, projects } = latchkey.demo;
    const scope = { workspaceId, projectId: projects[0]?.id ?? 'prj_', environment: 'production' } as const;
    const heed = heedArrivals(latchkey.system);
    const mail = { scope, channel: 'email', recipient: email } as const;
    await heed({ ...mail, scope: { ...scope, environment: 'test' } }, 'refused');
    for (const days of [0, 0, 0.5, 0.5]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.deepEqual(await stateOf(email), ['active', null]);
      clock.advance(days * DAY);
      await heed(mail, 'unreached');
    }
    assert.deepEqual(await stateOf(email), ['quarantined', 'unreached']);
    assert.deepEqual(await stateOf(other), ['active', null]);
  });

  test('a team reports bounces of numbers and mails', async () => {
    const [phone, email] = [await subscribed(), newEmail()];
    await admin('subscribers/import', { body: { consent: 'They asked on paper.', subscribers: [{ email }] } });
    const reported = {
      emails: [email.toUpperCase()],
      phones: [phone.replace(/^(\+49)(\d{3})/, '$1 $2-'), newMobile()],
    };
    assert.deepEqual((await admin('subscribers/bounces', { body: reported })).body, { quarantined: 2 });
    assert.deepEqual(await stateOf(phone), ['quarantined', 'bounce']);
    assert.deepEqual(await stateOf(email), ['quarantined', 'bounce']);
    for (const wrong of [{}, { phones: [] }, { phones: ['no number'] }, { phones: ['+49'] }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await admin('subscribers/bounces', { body: wrong }), 400, 'VALIDATION_FAILED');
    }
  });
});

describe('/status/manage with a phone number', () => {
  const claim = (phone: string, headers?: Record<string, string>) =>
    visit('/status/manage?lang=en', new URLSearchParams({ phone }), headers);
  const idIn = ({ text }: TestResponse): string => /name="id" value="(\w+)"/.exec(text)?.[1] ?? '';
  const open = (id: string, code: string, base = '/status') =>
    visit(`${base}/manage/code?lang=en`, new URLSearchParams({ channel: 'sms', id, code }));
  async function codeTo(phone: string, count = 1): Promise<string> {
    const text = (await lastForm(phone, count)).get('Body') ?? '';
    assert.equal(segmentsOf(text).segments, 1, text);
    return /(?<!\d)\d{6,8}(?!\d)/.exec(text.replace(/^[^:]*:/, ''))?.[0] ?? '';
  }

  test('a texted code opens the subscription, which is changed and ended without JavaScript', async () => {
    const phone = await subscribed();
    assert.match((await visit('/status/manage?lang=de')).text, /channel=sms">Mit einer Telefonnummer angemeldet\?/);
    const form = await visit('/status/manage?channel=sms&lang=en');
    assert.match(form.text, /<input type="tel" name="phone"/);
    const asked = await claim(phone.replace(/^(\+49)(\d{4})/, '$1 $2-'));
    assert.equal(asked.status, 200, asked.text);
    const code = await codeTo(phone);
    const wrong = await open(idIn(asked), '00000000');
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /If this number is subscribed/);
    const responses = await Promise.all(Array.from({ length: 4 }, () => open(idIn(asked), code)));
    const [opened, ...more] = responses.filter(({ status }) => status === 200);
    assert.ok(opened && more.length === 0, 'a code works once');
    assert.ok(opened.text.includes(phone));
    const token = /name="token" value="([^"]+)"/.exec(opened.text)?.[1] ?? '';
    const saved = await visit('/status/manage/save', new URLSearchParams({ token, componentIds: 'sign_in' }));
    assert.equal(saved.status, 200, saved.text);
    assert.deepEqual((await subscriber(phone)).componentIds, ['sign_in']);
    const end = /action="(\/status\/unsubscribe\?token=[^"]+)"/.exec(saved.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.equal((await visit(end, new URLSearchParams())).status, 200);
    assert.equal(await subscriber(phone), undefined, 'the number is deleted');
  });

  test('the answer is the same for a subscribed, a suspended and an unknown number, and only the first gets a text', async () => {
    const [active, suspended, unknown] = [await subscribed(), await subscribed(), newMobile()];
    await admin('subscribers/bounces', { body: { phones: [suspended] } });
    const responses = await Promise.all([active, suspended, unknown].map((phone) => claim(phone)));
    const plain = responses.map(({ status, text }) => [status, text.replaceAll(/cod_\w+/g, 'cod_')]);
    assert.deepEqual(plain[1], plain[0]);
    assert.deepEqual(plain[2], plain[0]);
    await codeTo(active);
    assert.deepEqual([formsTo(suspended).length, formsTo(unknown).length], [0, 0]);
    for (const response of responses.slice(1)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await open(idIn(response), '12345678')).status, 400);
    }
  });

  test('parallel requests are limited by source and by number, whether the number is subscribed or not', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.78' };
    const fromOne = await Promise.all(Array.from({ length: 12 }, () => claim(newMobile(), headers)));
    assert.equal(fromOne.filter(({ status }) => status === 200).length, 5);
    const [known, unknown] = [await subscribed(), newMobile()];
    const accepted = async (phone: string) =>
      (await Promise.all(Array.from({ length: 12 }, () => claim(phone)))).filter(({ status }) => status === 200).length;
    assert.equal(await accepted(known), await accepted(unknown));
    await codeTo(known, 3);
  });

  test('five wrong codes end a code, and another page or a later hour does not open it', async () => {
    const phone = await subscribed();
    const asked = await claim(phone);
    const code = await codeTo(phone);
    const elsewhereOpened = await visit(
      '/status/manage/code?environment=test',
      new URLSearchParams({ id: idIn(asked), code }),
    );
    assert.equal(elsewhereOpened.status, 400);
    await Promise.all(Array.from({ length: 5 }, () => open(idIn(asked), '00000000')));
    assert.equal((await open(idIn(asked), code)).status, 400);
    const second = await claim(phone);
    const late = await codeTo(phone, 2);
    clock.advance(11 * 60_000);
    assert.equal((await open(idIn(second), late)).status, 400);
  });

  test('hostile input shows the form again, and a page without text messages has none', async () => {
    for (const phone of ['', '+12125550123', '+4930123456', 'x', `+${'9'.repeat(60)}`, '"><script>alert(1)</script>']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const refused = await claim(phone);
      assert.equal(refused.status, 400, phone);
      assert.match(refused.text, /role="alert"/);
      assert.doesNotMatch(refused.text, /<script>alert/);
    }
    assert.equal((await visit('/status/manage', new URLSearchParams({ phone: '9'.repeat(5_000) }))).status, 400);
    assert.equal((await visit('/status/manage', new URLSearchParams())).status, 400);
    assert.match((await visit('/status/manage?environment=test&channel=sms')).text, /type="email"/);
    const body = new URLSearchParams({ phone: await subscribed() });
    assert.equal((await visit('/status/manage?environment=test', body)).status, 400);
    assert.deepEqual(carrier.calls, []);
  });
});

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { segmentsOf, subscribe } from '#billing';
import { messagesTo } from '#messages';
import { type LocalCarrier, startCarrier } from '#tests/carrier.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { createTenant, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { elsewhere, newMobile } from '#tests/visitors.ts';
import { removeUnconfirmed } from './subscriptions.ts';

const TIERS = [
  { id: 'small', name: 'Small', currency: 'EUR', monthlyPrice: 100, included: 6, overagePrice: 9, hardCap: 8 },
  { id: 'huge', name: 'Huge', currency: 'EUR', monthlyPrice: 900, included: 20, overagePrice: 8, hardCap: 9_000 },
].map((tier) => ({ ...tier, countries: ['DE', 'FR'] }));
const HOUR = 3_600_000;

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
});
after(async () => {
  await latchkey.stop();
  carrier.stop();
});
beforeEach(() => {
  carrier.calls.length = 0;
  carrier.responses.clear();
});

/** A visitor of the page in production, or of another page. */
const visit = (path: string, body?: unknown, headers: Record<string, string> = elsewhere()): Promise<TestResponse> =>
  latchkey.console(path, { headers, ...(body !== undefined && { body }) });
const ask = (phone: string, { base = '', headers }: { base?: string; headers?: Record<string, string> } = {}) =>
  visit(`${base}/api/status/subscribe`, { channel: 'sms', phone }, { ...elsewhere(), ...headers });

const admin = async (path: string, options: { method?: string; body?: unknown } = {}): Promise<TestResponse> =>
  latchkey.api(
    `/v1/admin/${path}`,
    { token: await managementToken(latchkey, undefined, 'production'), ...options },
    'production',
  );

/** What the carrier got for a number, oldest first. */
const textsTo = (phone: string): string[] =>
  carrier.calls
    .map(({ body }) => new URLSearchParams(body))
    .filter((form) => form.get('To') === phone)
    .map((form) => form.get('Body') ?? '');

async function lastText(phone: string, count = 1): Promise<string> {
  return eventually(async () => {
    const texts = textsTo(phone);
    assert.equal(texts.length, count, JSON.stringify(carrier.calls));
    return texts.at(-1) ?? '';
  });
}

function linkIn(text: string): string {
  const found = /https?:\/\/[^/ ]+(\/s\/[0-9a-z]{13})(?= |$)/.exec(text)?.[1];
  assert.ok(found, text);
  return found;
}

/** The address of the page that a short link leads to when it asks for a confirmation. */
async function confirmPage(link: string): Promise<string> {
  const led = await visit(link);
  assert.equal(led.status, 303, led.text);
  return led.headers.get('location') ?? '';
}

async function confirm(phone: string, { base = '' } = {}): Promise<string> {
  assert.equal((await ask(phone, { base })).status, 202);
  const link = linkIn(await lastText(phone));
  const page = await confirmPage(link);
  assert.equal((await visit(page, new URLSearchParams())).status, 200);
  return link;
}

const subscriberOf = async (phone: string) => {
  const { rows } = await latchkey.system.pool.query('select * from status_subscribers where address = $1', [phone]);
  return rows[0];
};

/** Whether the page offers text messages. */
async function offerTexts(textMessages: boolean): Promise<void> {
  const changed = await admin('status/settings', { method: 'PATCH', body: { textMessages } });
  assert.equal(changed.body.textMessages, textMessages, changed.text);
}

const open = async (title: string): Promise<string> => {
  const body = { title, body: 'x', severity: 'minor', componentIds: [] };
  const made = await admin('status/incidents', { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};

describe('without the add-on', () => {
  test('the page offers no text messages, and a request is refused in the same words for every number', async () => {
    assert.ok(!(await visit('/api/status/summary')).body.subscriptionChannels.includes('sms'));
    assert.doesNotMatch((await visit('/status')).text, /channel=sms/);
    assert.match((await visit('/status/subscribe?channel=sms')).text, /type="email"/);
    const refusals = await Promise.all(['+4915112345678', '+12125550123', '+8613800138000'].map((phone) => ask(phone)));
    for (const response of refusals) expectProblem(response, 400, 'UNSUPPORTED_CHANNEL');
    assert.equal(new Set(refusals.map(({ body }) => body.detail)).size, 1);
    assert.doesNotMatch(refusals[0]?.text ?? '', /add-on|billing|1511/i);
    const form = new URLSearchParams({ channel: 'sms', address: '+4915112345678' });
    assert.equal((await visit('/status/subscribe', form)).status, 400);
    const body = { consent: 'They asked on paper.', subscribers: [{ phone: '+4915112345678' }] };
    expectProblem(await admin('status/subscribers/import', { body }), 409, 'CONFLICT');
    assert.deepEqual(carrier.calls, []);
  });
});

describe('with the add-on', () => {
  before(async () => {
    await latchkey.inProject((tx) => subscribe(tx, 'huge'), { environment: 'production' });
    clock.advance(31_000);
    assert.ok(!(await visit('/api/status/summary')).body.subscriptionChannels.includes('sms'), 'nobody chose it');
    expectProblem(await ask(newMobile()), 400, 'UNSUPPORTED_CHANNEL');
    await offerTexts(true);
    await eventually(async () =>
      assert.ok((await visit('/api/status/summary')).body.subscriptionChannels.includes('sms')),
    );
  });

  test('a number is subscribed by the link of one segment, gets one text for a phase, and ends it by the same link', async () => {
    const phone = newMobile();
    assert.match((await visit('/status')).text, /channel=sms/);
    assert.match((await visit('/status/subscribe?channel=sms&lang=de')).text, /type="tel" autocomplete="tel"/);
    const form = new URLSearchParams({ channel: 'sms', address: phone.replace(/^(\+49)(\d{4})/, '$1 $2-') });
    const asked = await visit('/status/subscribe?lang=de', form, { ...elsewhere(), 'accept-language': 'de' });
    assert.equal(asked.status, 200, asked.text);
    const text = await lastText(phone);
    assert.match(text, /Statusmeldungen bestätigen/);
    assert.equal(segmentsOf(text).segments, 1);
    const link = linkIn(text);
    await open('Before the consent');
    const page = await confirmPage(link);
    assert.equal((await subscriberOf(phone)).state, 'pending', 'a program that follows links confirms nothing');
    assert.equal((await visit(page, new URLSearchParams())).status, 200);
    const id = await open('Zahlungen sind langsam');
    const notice = await lastText(phone, 2);
    assert.match(notice, /: Zahlungen sind langsam \(.+\)\. Details, beenden: http/);
    assert.equal(segmentsOf(notice).segments, 1);
    assert.equal(linkIn(notice), link);
    const update = { phase: 'investigating', body: 'Still looking.' };
    assert.equal((await admin(`status/incidents/${id}/updates`, { body: update })).status, 201);
    const choice = await visit(link);
    const unsubscribing = /href="(\/status\/unsubscribe\?token=[^"]+)"/
      .exec(choice.text)?.[1]
      ?.replaceAll('&amp;', '&');
    assert.ok(unsubscribing, choice.text);
    assert.equal((await visit(unsubscribing, new URLSearchParams())).status, 200);
    const { rows } = await latchkey.system.pool.query(
      `select address, state, secret_sealed from status_subscribers where link_hash is not null and state = 'unsubscribed'`,
    );
    assert.deepEqual(rows, [{ address: '', state: 'unsubscribed', secret_sealed: null }], 'only the digest is kept');
    await open('After the end');
    assert.equal((await visit(link)).status, 200);
    const body = { consent: 'They asked on paper.', subscribers: [{ phone }] };
    assert.deepEqual((await admin('status/subscribers/import', { body })).body, { added: 0, skipped: 1 });
    assert.equal(textsTo(phone).length, 2);
  });

  test('the answer is the same for a new, a waiting, a subscribed and a suspended number, and only new ones get a text', async () => {
    const [fresh, waiting, active, suspended] = [newMobile(), newMobile(), newMobile(), newMobile()];
    await ask(waiting);
    await confirm(active);
    await confirm(suspended);
    await latchkey.system.pool.query(`update status_subscribers set state = 'quarantined' where address = $1`, [
      suspended,
    ]);
    await lastText(waiting);
    const answers = await Promise.all([fresh, waiting, active, suspended].map((phone) => ask(phone)));
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      Array.from({ length: 4 }, () => [202, { status: 'confirmation_required' }]),
    );
    await lastText(fresh);
    assert.equal(linkIn(await lastText(waiting, 2)), linkIn(textsTo(waiting)[0] ?? ''), 'both texts work');
    assert.deepEqual([textsTo(active).length, textsTo(suspended).length], [1, 1]);
  });

  test('excluded countries and kinds of numbers are refused alike, with or without a subscription', async () => {
    for (const phone of ['+12125550123', '+4930123456', '+491371234567', 'no number', '+49', `+${'9'.repeat(39)}`]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await ask(phone), 400, 'VALIDATION_FAILED');
    }
    expectProblem(await visit('/api/status/subscribe', { channel: 'sms' }), 400, 'VALIDATION_FAILED');
    expectProblem(
      await visit('/api/status/subscribe', { channel: 'sms', email: 'a@example.com' }),
      400,
      'VALIDATION_FAILED',
    );
    assert.deepEqual(carrier.calls, []);
  });

  test('requests at once are limited by source, by number and by block, and cost no more than they may', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    const fromOne = await Promise.all(Array.from({ length: 12 }, () => ask(newMobile(), { headers })));
    assert.equal(fromOne.filter(({ status }) => status === 202).length, 5);
    const phone = newMobile();
    const ofOne = await Promise.all(Array.from({ length: 12 }, () => ask(phone)));
    assert.ok(ofOne.filter(({ status }) => status === 202).length <= 5, 'the guard of the project');
    await eventually(async () => assert.ok(textsTo(phone).length >= 1));
    assert.ok(textsTo(phone).length <= 3, 'a number gets three confirmations a day');
    const one = await latchkey.system.pool.query('select from status_subscribers where address = $1', [phone]);
    assert.equal(one.rows.length, 1);
  });

  test('a number that the carrier refuses for good is suspended, and others are told', async () => {
    const [gone, kept] = [newMobile(), newMobile()];
    await confirm(gone);
    await confirm(kept);
    carrier.responses.set('twilio', { status: 400, body: { code: 21_610 } });
    const refused = newMobile();
    await ask(refused);
    await eventually(async () => assert.equal((await subscriberOf(refused)).state, 'quarantined'));
    await open('Refused');
    await eventually(async () => assert.equal((await subscriberOf(gone)).state, 'quarantined'));
    const { body } = await admin('status/subscribers?channel=sms&state=quarantined');
    assert.ok(body.items.some(({ address }: { address: string }) => address === gone));
  });

  test('a number gets as many notices an hour as the guard allows, also when many come at once', async () => {
    const phone = newMobile();
    await confirm(phone);
    await admin('billing/addons/sms/guard', { method: 'PATCH', body: { perNumber: 2 } });
    await Promise.all(Array.from({ length: 5 }, (_, index) => open(`At once ${index}`)));
    const { rows } = await eventually(async () => {
      const found = await latchkey.system.pool.query('select done_at from status_notices where done_at is null');
      assert.equal(found.rows.length, 0);
      return latchkey.system.pool.query(`select data from events where type = 'status.texts.left'`);
    });
    await eventually(async () => assert.equal(textsTo(phone).length, 3, 'the confirmation and two notices'));
    assert.ok(rows.length >= 3);
    await admin('billing/addons/sms/guard', { method: 'PATCH', body: { perNumber: 5 } });
    clock.advance(2 * HOUR);
  });

  test('the preview shows the text, the number of recipients and the price; an import takes phone numbers', async () => {
    const phones = Array.from({ length: 40 }, newMobile);
    const subscribers = [...phones.map((phone) => ({ phone })), { phone: '+12125550123' }];
    const consent = 'They asked on paper.';
    const imported = await admin('status/subscribers/import', { body: { consent, subscribers } });
    assert.deepEqual(imported.body, { added: 40, skipped: 1 });
    for (const wrong of [{}, { phone: phones[0], email: 'a@example.com' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const refused = await admin('status/subscribers/import', { body: { consent, subscribers: [wrong] } });
      expectProblem(refused, 400, 'VALIDATION_FAILED');
    }
    const draft = { kind: 'incident', title: `“Slow” – ${'very '.repeat(35)}`, body: 'x', phase: 'investigating' };
    const { body } = await admin('status/preview', { body: draft });
    const message = body.messages.find(({ channel }: { channel: string }) => channel === 'sms');
    assert.match(message.text, /: "Slow" - very .*\.\.\. \(Investigating\)\. Details, stop: http/);
    assert.equal(segmentsOf(message.text).segments, 1);
    const { used, reserved } = (await admin('billing/addons/sms/status')).body;
    assert.ok(message.count >= 40 && used >= 20, 'what the tier includes is used');
    assert.deepEqual(body.texts, {
      segments: message.count,
      left: 9_000 - used - reserved,
      cost: message.count * 8,
      currency: 'EUR',
    });
    const { count } = (await admin('status/subscribers/count')).body;
    assert.equal(count, body.count);
  });

  test('an expired request is not confirmed, is forgotten after a week, and a guessed link leads nowhere', async () => {
    const phone = newMobile();
    await ask(phone);
    const link = linkIn(await lastText(phone));
    clock.advance(25 * HOUR);
    assert.equal((await visit(link)).status, 400);
    clock.advance(7 * 24 * HOUR);
    await removeUnconfirmed(latchkey.system);
    assert.equal(await subscriberOf(phone), undefined);
    for (const wrong of [link, '/s/0000000000000', '/s/x', '/s/%27%20or%201=1--00']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.ok((await visit(wrong)).status >= 400, wrong);
    }
  });

  test('a page that stops offering them tells no phone, and tells them again once it offers them', async () => {
    const phone = newMobile();
    await confirm(phone);
    await offerTexts(false);
    expectProblem(await ask(newMobile()), 400, 'UNSUPPORTED_CHANNEL');
    await open('Not for phones');
    await eventually(async () => {
      const found = await latchkey.system.pool.query('select from status_notices where done_at is null');
      assert.equal(found.rows.length, 0);
    });
    await offerTexts(true);
    await open('For phones again');
    assert.match(await lastText(phone, 2), /For phones again/);
  });
});

describe('the page of a project', () => {
  let tenant: Tenant;
  let base: string;
  before(async () => {
    tenant = await createTenant(latchkey, 'texting');
    const token = await tenantManagementToken(latchkey, tenant);
    const made = await latchkey.api('/v1/admin/status/page', { method: 'PUT', token, body: { published: true } });
    const body = { textMessages: true };
    await latchkey.api('/v1/admin/status/settings', { method: 'PATCH', token, body });
    base = new URL(made.body.url).pathname;
  });

  test('sends texts in its own project, and its link ends no other subscription of the number', async () => {
    const phone = newMobile();
    assert.equal((await ask(phone, { base })).status, 202);
    const sent = await eventually(async () => {
      const [message] = await latchkey.inProject((tx) => messagesTo(tx, [phone], 5), tenant.scope);
      assert.equal(message?.status, 'sent');
      return message;
    });
    assert.equal(sent.template, 'status_sms_confirm');
    assert.deepEqual(textsTo(phone), [], 'the test environment is simulated');
    assert.equal((await ask(phone)).status, 202);
    const link = linkIn(await lastText(phone));
    assert.equal((await visit(await confirmPage(link), new URLSearchParams())).status, 200);
    const { rows } = await latchkey.system.pool.query(
      'select environment, state from status_subscribers where address = $1 order by state',
      [phone],
    );
    assert.deepEqual(rows, [
      { environment: 'production', state: 'active' },
      { environment: `${tenant.scope.projectId}-test`, state: 'pending' },
    ]);
  });

  test('asks for sixty texts an hour, so that sign-ins keep the rest', async () => {
    const all = await Promise.all(Array.from({ length: 70 }, () => ask(newMobile(), { base })));
    const accepted = all.filter(({ status }) => status === 202).length;
    assert.ok(accepted === 59 || accepted === 60, `${accepted} beside that of another test`);
    assert.ok(all.every(({ status }) => status === 202 || status === 429));
  });
});

describe('at the cap', () => {
  test('notices at once exceed it by no segment, and visitors learn nothing of it', async () => {
    const { rows } = await latchkey.system.pool.query(
      `update sms_periods set terms = terms || '{"hardCap": 0}' where closed_at is null returning used, reserved`,
    );
    const cap = rows[0].used + rows[0].reserved + 8;
    await latchkey.system.pool.query(
      `update sms_periods set terms = jsonb_set(terms, '{hardCap}', $1) where closed_at is null`,
      [String(cap)],
    );
    await Promise.all(Array.from({ length: 3 }, (_, index) => open(`Full ${index}`)));
    await eventually(async () => {
      const found = await latchkey.system.pool.query('select from status_notices where done_at is null');
      assert.equal(found.rows.length, 0);
      const { used, reserved } = (await admin('billing/addons/sms/status')).body;
      assert.deepEqual([used + reserved, reserved], [cap, 0]);
    });
    assert.equal(carrier.calls.length, 8);
    const refused = await ask(newMobile());
    expectProblem(refused, 400, 'UNSUPPORTED_CHANNEL');
    assert.doesNotMatch(refused.text, /hardCap|allowed|plan/);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { challengeIn } from '#tests/factors.ts';
import {
  changeSettings,
  eventually,
  expectProblem,
  lastMessage,
  mailedCode,
  managementToken,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { elsewhere } from '#tests/visitors.ts';
import { subscribe } from './subscriptions.ts';

const ADDON = '/v1/admin/billing/addons/sms';
const HOUR = 3_600_000;
const TIERS = [
  { id: 'tiny', name: 'Tiny', currency: 'EUR', monthlyPrice: 100, included: 3, overagePrice: null, hardCap: 3 },
  { id: 'huge', name: 'Huge', currency: 'EUR', monthlyPrice: 900, included: 9_000, overagePrice: null, hardCap: 9_000 },
].map((tier) => ({ ...tier, countries: ['DE', 'US', 'FR'] }));

const clock = new TestClock();
let latchkey: TestLatchkey;

before(async () => {
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_SMS_TIERS: JSON.stringify(TIERS) } });
  const methods = ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'];
  await changeSettings(latchkey, { signInMethods: methods, registration: 'open' }, 'production');
});
after(() => latchkey.stop());

const auth = (path: string, body: Record<string, unknown>, headers = elsewhere()) =>
  latchkey.auth(path, { body, headers }, 'production');
const start = (phone: string, headers = elsewhere()) => auth('/v1/auth/login/phone', { phone }, headers);
const admin = async (path: string, init: { method?: string; body?: unknown } = {}) =>
  latchkey.api(
    ADDON + path,
    { token: await managementToken(latchkey, undefined, 'production'), ...init },
    'production',
  );
const methods = async () => (await latchkey.auth('/v1/auth/methods', {}, 'production')).body.methods;
const codeFor = async (phone: string) => /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0];

/** A user in production with a verified address and a phone as second factor. */
async function personWithPhone(phone: string): Promise<{ email: string; recoveryCodes: string[] }> {
  const email = newEmail();
  const begun = await auth('/v1/auth/register', { email, password: PASSWORD });
  const code = await mailedCode(latchkey, email);
  const session = await auth('/v1/auth/email/verify', { flowId: begun.body.flowId, code });
  assert.equal(session.status, 200, session.text);
  const token: string = session.body.access_token;
  const add = await latchkey.api(
    '/v1/me/security/mfa/phone',
    { token, body: { phone }, headers: elsewhere() },
    'production',
  );
  assert.equal(add.status, 202, add.text);
  const confirmed = await latchkey.api(
    '/v1/me/security/mfa/phone/confirm',
    { token, body: { flowId: add.body.flowId, code: await codeFor(phone) } },
    'production',
  );
  assert.equal(confirmed.status, 200, confirmed.text);
  return { email, recoveryCodes: confirmed.body.recoveryCodes };
}

describe('without the add-on, in production', () => {
  test('SMS-5 phone sign-in is not offered, and gets 402 ADDON_REQUIRED, whatever the number', async () => {
    const response = await start('+4915112345678');
    expectProblem(response, 402, 'ADDON_REQUIRED');
    assert.equal(response.body.addon, 'sms');
    assert.ok(!(await methods()).includes('phone'));
    const { rows } = await latchkey.system.pool.query(`select from messages where channel = 'sms'`);
    assert.equal(rows.length, 0);
  });

  test('SMS-5 in the test environment it works, and is free', async () => {
    const phone = '+4915112345678';
    assert.equal((await latchkey.auth('/v1/auth/login/phone', { body: { phone } })).status, 202);
    assert.ok((await latchkey.auth('/v1/auth/methods')).body.methods.includes('phone'));
    const { rows } = await latchkey.system.pool.query('select from sms_ledger');
    assert.equal(rows.length, 0);
  });

  test('SMS-5 after one call that subscribes, phone sign-in works and is metered', async () => {
    assert.equal((await admin('/subscribe', { method: 'POST', body: { tierId: 'tiny' } })).body.status, 'active');
    assert.ok((await methods()).includes('phone'));
    const phone = '+4915112349999';
    const begun = await start(phone);
    assert.equal(begun.status, 202, begun.text);
    const verified = await auth('/v1/auth/login/phone/verify', {
      flowId: begun.body.flowId,
      code: await codeFor(phone),
    });
    assert.equal(verified.status, 200, verified.text);
    await eventually(async () => assert.equal((await admin('/status')).body.used, 1));
  });
});

describe('at the cap', () => {
  let person: { email: string; recoveryCodes: string[] };

  test('SMS-6 the next message gets 402 PLAN_LIMIT_EXCEEDED with limit, allowed, current and plan', async () => {
    person = await personWithPhone('+4915112340000');
    assert.equal((await start('+4915112341111')).status, 202);
    await eventually(async () => assert.equal((await admin('/status')).body.used, 3));
    const refused = await start('+4915112342222');
    expectProblem(refused, 402, 'PLAN_LIMIT_EXCEEDED');
    const { limit, allowed, current, plan } = refused.body;
    assert.deepEqual(
      { limit, allowed, current, plan },
      { limit: 'sms_segments', allowed: 3, current: 3, plan: 'tiny' },
    );
  });

  test('SMS-6 an unknown number where registration is closed gets the same refusal as a known one', async () => {
    await changeSettings(latchkey, { registration: 'closed' }, 'production');
    const [known, unknown] = [await start('+4915112349999'), await start('+4915112348888')];
    const same = ({ status, body: { traceId: _trace, ...body } }: TestResponse) => ({ status, body });
    assert.deepEqual(same(known), same(unknown));
    await changeSettings(latchkey, { registration: 'open' }, 'production');
  });

  test('SMS-7 no user is locked out: the refusal of a phone factor offers the others, and a recovery code works', async () => {
    const signIn = await auth('/v1/auth/login/password', { identifier: person.email, password: PASSWORD });
    const { mfaToken, factors } = challengeIn(signIn);
    const phone = factors.find(({ type }) => type === 'phone');
    const refused = await auth('/v1/auth/mfa/challenge', { mfaToken, factorId: phone?.id });
    expectProblem(refused, 402, 'PLAN_LIMIT_EXCEEDED');
    assert.deepEqual(refused.body.factors, [{ type: 'recovery_code', id: 'recovery_code', hint: null }]);
    const [code] = person.recoveryCodes;
    const entered = await auth('/v1/auth/mfa/verify', { mfaToken, factorId: 'recovery_code', code });
    assert.equal(entered.status, 200, entered.text);
    assert.ok(entered.body.access_token);
  });
});

describe('the guard against pumping', () => {
  before(async () => {
    await latchkey.inProject((tx) => subscribe(tx, 'huge'), { environment: 'production' });
  });
  const rules = (body: Record<string, unknown>) => admin('/guard', { method: 'PATCH', body });
  const tripped = async () => {
    const { rows } = await latchkey.system.pool.query(
      `select data from events where type = 'sms.guard.tripped' order by id`,
    );
    return rows.map(({ data }) => data);
  };

  test('SMS-8 messages go to the countries of the tier, except those that the project excludes', async () => {
    expectProblem(await start('+818012345678'), 400, 'VALIDATION_FAILED');
    assert.equal((await start('+33612345678')).status, 202);
    const changed = await rules({ countries: ['DE', 'JP'] });
    assert.deepEqual(changed.body.countries, ['DE', 'JP']);
    expectProblem(await start('+33612345679'), 400, 'VALIDATION_FAILED');
    // The tier is checked first.
    expectProblem(await start('+818012345678'), 400, 'VALIDATION_FAILED');
    await rules({ countries: null });
  });

  test('SMS-8 landlines and premium-rate numbers get no messages', async () => {
    for (const phone of ['+4930901820', '+499001234567', '+498001234567']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await start(phone), 400, 'VALIDATION_FAILED');
    }
    await rules({ numberTypes: ['MOBILE', 'FIXED_LINE_OR_MOBILE', 'FIXED_LINE'] });
    assert.equal((await start('+4930901820')).status, 202);
  });

  test('SMS-9 messages are limited per number, source, block and project, each adjustable; blocks and projects alert once', async () => {
    clock.advance(2 * HOUR);
    await latchkey.system.pool.query('delete from rate_limits');
    await rules({ perNumber: 2, perPrefix: 4, perSource: 3, perProject: 8 });
    const number = await Promise.all(Array.from({ length: 6 }, () => start('+4915220000001')));
    assert.deepEqual(number.map(({ status }) => status).sort(), [202, 202, 429, 429, 429, 429]);
    const here = elsewhere();
    const bySource = await Promise.all(Array.from({ length: 5 }, (_, index) => start(`+491523000${index}000`, here)));
    assert.deepEqual(bySource.map(({ status }) => status).sort(), [202, 202, 202, 429, 429]);
    assert.ok(Number(bySource.find(({ status }) => status === 429)?.headers.get('retry-after')) > 3000);
    await latchkey.system.pool.query('delete from rate_limits');
    const known = (await tripped()).length;
    const byBlock = await Promise.all(Array.from({ length: 8 }, (_, index) => start(`+491524000000${index}`)));
    assert.equal(byBlock.filter(({ status }) => status === 202).length, 4);
    const byProject = await Promise.all(Array.from({ length: 9 }, (_, index) => start(`+4915250${index}00000`)));
    assert.ok(byProject.filter(({ status }) => status === 202).length <= 4);
    assert.deepEqual((await tripped()).slice(known), [
      { rule: 'prefix', prefix: '+491524000', detail: 'more than 4 in an hour' },
      { rule: 'project', prefix: null, detail: 'more than 8 in an hour' },
    ]);
    await rules({ perNumber: 1000, perPrefix: 1000, perSource: 1000, perProject: 1000 });
  });

  test('SMS-10 a block whose codes are not entered is blocked and listed, alerts once, and can be unblocked', async () => {
    await rules({ conversionSample: 6, conversionPercent: 30, blockSeconds: 7_200 });
    const use = async (phone: string) => {
      const begun = await start(phone);
      assert.equal(begun.status, 202, begun.text);
      const body = { flowId: begun.body.flowId, code: await codeFor(phone) };
      assert.equal((await auth('/v1/auth/login/phone/verify', body)).status, 200);
    };
    // A block whose codes are entered is not blocked.
    for (let index = 0; index < 9; index += 1)
      if (index % 3 === 0)
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        await use(`+491601234000${index}`);
      else assert.equal((await start(`+491601234000${index}`)).status, 202);
    assert.equal((await start('+4916012340009')).status, 202);
    const known = (await tripped()).length;
    for (let index = 0; index < 6; index += 1)
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await start(`+491609999000${index}`)).status, 202);
    const refused = await Promise.all(Array.from({ length: 4 }, (_, index) => start(`+491609999001${index}`)));
    for (const response of refused) expectProblem(response, 429, 'RATE_LIMIT_EXCEEDED');
    assert.deepEqual((await tripped()).slice(known), [
      { rule: 'conversion', prefix: '+491609999', detail: '0 of 6 codes were used within a day' },
    ]);
    const { items } = (await admin('/guard/blocks')).body;
    assert.deepEqual(
      items.map(({ prefix, sent, used }: Record<string, unknown>) => ({ prefix, sent, used })),
      [{ prefix: '+491609999', sent: 6, used: 0 }],
    );
    const removed = await admin(`/guard/blocks/${encodeURIComponent('+491609999')}`, { method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
    assert.equal((await start('+4916099990020')).status, 202);
    const again = await admin(`/guard/blocks/${encodeURIComponent('+491609999')}`, { method: 'DELETE' });
    expectProblem(again, 404, 'NOT_FOUND');
  });

  test('SMS-10 an invalid rule is refused; rules apply to one project', async () => {
    for (const body of [
      { countries: ['Germany'] },
      { perNumber: 0 },
      { conversionPercent: 101 },
      { numberTypes: [] },
      {},
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await rules(body), 400, 'VALIDATION_FAILED');
    }
    const test = await latchkey.api(`${ADDON}/guard`, { token: await managementToken(latchkey) });
    assert.equal(test.body.conversionSample, 20);
  });
});

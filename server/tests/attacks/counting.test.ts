import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { COUNTERS } from '#attempts';
import { served } from '#hosts';
import { createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import { counterOf, SOURCE_COUNTERS, type SourceCounter, sourceCounts } from '#platform/http-sources.ts';
import { totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  expectProblem,
  mailedCode,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { solve } from '#tests/proof-of-work.ts';

const WRONG = 'a guess of the attacker';
const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const from = (ip: string) => ({ 'x-forwarded-for': ip });
const guess = (identifier: string, ip: string, password = WRONG) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier, password }, headers: from(ip) });
const login = (identifier: string, ip: string) => guess(identifier, ip, PASSWORD);
const startCode = (email: string, ip: string) =>
  latchkey.auth('/v1/auth/login/email-code', { body: { email }, headers: from(ip) });
const forgot = (identifier: string, ip: string) =>
  latchkey.auth('/v1/auth/password/forgot', { body: { identifier }, headers: from(ip) });

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A person with an email address and a username. */
async function registerNamed() {
  const person = await register(latchkey);
  const username = `u${crypto.randomUUID().slice(0, 12)}`;
  const named = await latchkey.api('/v1/me/profile', {
    token: person.access_token,
    method: 'PATCH',
    body: { username },
  });
  assert.equal(named.status, 200, named.text);
  return { ...person, username };
}

/** How many codes and links were sent to an address. */
async function mailsTo(address: string): Promise<number> {
  const { rows } = await latchkey.system.pool.query(
    `select count(*)::int as sent from messages
     where recipient = $1 and status <> 'suppressed' and template in ('sign_in_code', 'verify_email')`,
    [address],
  );
  return rows[0].sent;
}

describe('password attempts', () => {
  test('of one account share one limit, under every identifier', async () => {
    const { email, username } = await registerNamed();
    const byEmail = await Promise.all(range(80).map((n) => guess(email, `198.18.1.${n}`)));
    assert.deepEqual(new Set(byEmail.map(({ status }) => status)), new Set([401]));
    // From an unknown source the right password is no longer checked, and the response does not reveal it.
    expectProblem(await login(username, '198.18.1.200'), 401, 'INVALID_CREDENTIALS');
    expectProblem(await login(email, '198.18.1.201'), 429, 'ACCOUNT_THROTTLED');
  });

  test('exhausted under one identifier get the response of an unknown account under another', async () => {
    const { email, username } = await registerNamed();
    await Promise.all(range(81).map((n) => guess(email, `198.18.2.${n}`)));
    const [known, unknown] = [await guess(username, '198.18.2.201'), await guess('nobody.here', '198.18.2.202')];
    for (const response of [known, unknown]) expectProblem(response, 401, 'INVALID_CREDENTIALS');
    assert.equal(known.body.detail, unknown.body.detail);
  });

  test('of strangers leave the owner a reserve at sources where the account is used, under every identifier', async () => {
    const { email, username } = await registerNamed();
    assert.equal((await login(email, '198.18.30.1')).status, 200);
    await Promise.all(range(60).map((n) => guess(email, `198.18.3.${n}`)));
    await Promise.all(range(30).map((n) => guess(username, `198.18.3.${100 + n}`)));
    assert.equal((await login(username, '198.18.30.1')).status, 200);
  });

  test('from one IPv6 /64 count as one source', async () => {
    const { email } = await register(latchkey);
    const responses = await Promise.all(range(60).map((n) => guess(email, `2001:db8:5:1::${n.toString(16)}`)));
    assert.equal(responses.filter(({ status }) => status === 401).length, 20);
    expectProblem(await guess(email, '2001:db8:5:1:ffff::1'), 429, 'ACCOUNT_THROTTLED');
    expectProblem(await guess(email, '2001:db8:5:2::1'), 401, 'INVALID_CREDENTIALS');
  });

  test('from an IPv4 address count as one source, also if it is written as an IPv6 address', async () => {
    const { email } = await register(latchkey);
    const guesses = await Promise.all(range(20).map(() => guess(email, '198.18.4.1')));
    assert.deepEqual(new Set(guesses.map(({ status }) => status)), new Set([401]));
    expectProblem(await guess(email, '::ffff:198.18.4.1'), 429, 'ACCOUNT_THROTTLED');
  });

  test('leave the reserve to the whole IPv6 /64 where the account is used', async () => {
    const { email } = await register(latchkey);
    assert.equal((await login(email, '2001:db8:6:1::1')).status, 200);
    await Promise.all(range(81).map((n) => guess(email, `198.18.5.${n}`)));
    assert.equal((await login(email, '2001:db8:6:1:aaaa::7')).status, 200);
  });
});

describe('attempts at a second factor', () => {
  test('stay counted when the password is proven in between', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const again = (body: Record<string, unknown>) =>
      latchkey.auth('/v1/auth/reauthenticate', { token: person.access_token, body });
    const wrong = app.code() === '000000' ? '000001' : '000000';
    for (const _ of range(19)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      expectProblem(await again({ code: wrong }), 401, 'INVALID_CODE');
    }
    const proven = await again({ password: PASSWORD });
    assert.equal(proven.status, 200, proven.text);
    person.access_token = proven.body.access_token;
    expectProblem(await again({ code: wrong }), 401, 'INVALID_CODE');
    expectProblem(await again({ code: wrong }), 429, 'ACCOUNT_THROTTLED');
    // The password has a counter of its own.
    assert.equal((await again({ password: PASSWORD })).status, 200);
  });

  test('stay counted when another app is enrolled in between', async () => {
    const person = await register(latchkey);
    const token = person.access_token;
    for (const _ of range(20)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await latchkey.auth('/v1/auth/reauthenticate', { token, body: { code: '000000' } });
    }
    await totpOf(latchkey, person, clock);
    const refused = await latchkey.auth('/v1/auth/reauthenticate', { token, body: { code: '000000' } });
    expectProblem(refused, 429, 'ACCOUNT_THROTTLED');
  });

  test('count for the factor they are checked against: eight digits never match an app', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const response = await latchkey.auth('/v1/auth/reauthenticate', {
      token: person.access_token,
      body: { code: `00${app.code()}` },
    });
    expectProblem(response, 401, 'INVALID_CODE');
  });
});

describe('mails', () => {
  test('requested by ten strangers do not lock the owner out at a source where the account is used', async () => {
    const { email } = await register(latchkey);
    assert.equal((await login(email, '198.18.6.1')).status, 200);
    for (const n of range(12)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      assert.equal((await startCode(email, `198.18.7.${n}`)).status, 202);
    }
    const sent = await mailsTo(email);
    const { body, status } = await startCode(email, '198.18.6.1');
    assert.equal(status, 202);
    assert.equal(await mailsTo(email), sent + 1);
    const code = await mailedCode(latchkey, email);
    const entered = await latchkey.auth('/v1/auth/login/email-code/verify', { body: { flowId: body.flowId, code } });
    assert.equal(entered.status, 200, entered.text);
  });

  test('beyond ten per hour to one address are not sent, and the response does not reveal it', async () => {
    const email = newEmail();
    const responses = [];
    for (const n of range(14)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      responses.push(await startCode(email, `198.18.8.${n}`));
    }
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([202]));
    assert.equal(await mailsTo(email), 10);
  });

  test('requested repeatedly by one source are refused', async () => {
    const email = newEmail();
    for (const _ of range(10)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      assert.equal((await startCode(email, '198.18.9.1')).status, 202);
    }
    expectProblem(await startCode(email, '198.18.9.1'), 429, 'RATE_LIMIT_EXCEEDED');
  });

  test('do not reveal whose username belongs to an address, in either order', async () => {
    const one = await registerNamed();
    for (const _ of range(10)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      assert.equal((await forgot(one.email, '198.18.10.1')).status, 202);
    }
    assert.equal((await forgot(one.username, '198.18.10.1')).status, 202);
    assert.equal((await forgot('nobody.here', '198.18.10.1')).status, 202);
    const two = await registerNamed();
    for (const _ of range(10)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      assert.equal((await forgot(two.username, '198.18.10.2')).status, 202);
    }
    assert.equal((await forgot(two.email, '198.18.10.2')).status, 202);
  });

  test('do not reveal whose username belongs to an address when they are resent', async () => {
    const { email, username } = await registerNamed();
    const { body } = await forgot(username, '198.18.11.1');
    for (const _ of range(9)) {
      clock.advance(31_000);
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const again = await latchkey.auth('/v1/auth/email/resend', {
        body: { flowId: body.flowId },
        headers: from('198.18.11.1'),
      });
      assert.equal(again.status, 202);
    }
    for (const _ of range(10)) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      assert.equal((await forgot(email, '198.18.11.1')).status, 202);
    }
  });

  test('to an unverified address count under every identifier that its owner signs in with', async () => {
    const { username, email } = await registerNamed();
    await changeSettings(latchkey, { emailVerification: 'required' });
    try {
      for (const _ of range(10)) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        const response = await login(username, '198.18.12.1');
        assert.equal(response.body.status, 'verification_required', response.text);
      }
      expectProblem(await login(username, '198.18.12.1'), 429, 'RATE_LIMIT_EXCEEDED');
      assert.equal(await mailsTo(email), 10);
    } finally {
      await changeSettings(latchkey, { emailVerification: 'off' });
    }
  });
});

describe('a proof of work', () => {
  test('counts once, however its salt is encoded', async () => {
    await changeSettings(latchkey, { proofOfWork: 'required' });
    try {
      const { body } = await latchkey.auth('/v1/auth/challenge');
      const { algorithm, challenge, salt, signature } = body;
      const spend = (written: Record<string, unknown>) => {
        const payload = { algorithm, challenge, salt, signature, number: solve(body), ...written };
        const proof = Buffer.from(JSON.stringify(payload)).toString('base64');
        return latchkey.auth('/v1/auth/password/forgot', { body: { identifier: newEmail(), proof } });
      };
      assert.equal((await spend({})).status, 202);
      expectProblem(await spend({ salt: String(salt).replace(/&$/, '') }), 400, 'INVALID_TOKEN');
      expectProblem(await spend({ extra: 1 }), 400, 'INVALID_TOKEN');
    } finally {
      await changeSettings(latchkey, { proofOfWork: 'off' });
    }
  });
});

describe('anonymous requests', () => {
  test('with a made-up flow do not hash', async (t) => {
    const { system } = latchkey;
    const { testPasswordCost } = system;
    t.after(() => {
      system.testPasswordCost = testPasswordCost;
    });
    // No hash has these parameters, so a request that hashes fails.
    system.testPasswordCost = { memoryCost: 0, timeCost: 0 };
    const newAccount = { email: newEmail(), password: PASSWORD };
    expectProblem(await latchkey.auth('/v1/auth/register', { body: newAccount }), 500, 'INTERNAL_ERROR');
    const body = { flowId: 'flw_01kaz3w9hqf8p9n2m4v5x6y7z8', code: '12345678', newPassword: 'a new long password' };
    expectProblem(await latchkey.auth('/v1/auth/password/reset', { body }), 401, 'INVALID_CODE');
  });

  test('are counted by source before the body is read, on every route that changes something', async () => {
    const source = '198.18.41.1';
    for (const [name, { points }] of Object.entries(SOURCE_COUNTERS))
      sourceCounts(latchkey.system).add(counterNamed(name), `${source}/32`, points);
    const counted = anonymous.filter((route) => counterOf(route));
    assert.ok(counted.length > 60, String(counted.length));
    for (const { method, path } of counted) {
      const host = hostOf(path);
      const call = (by: string) => host(path.replaceAll(/:\w+/g, 'x'), { method: by, headers: from(source) });
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await call(method);
      expectProblem(response, 429, 'RATE_LIMIT_EXCEEDED');
      assert.ok(Number(response.headers.get('retry-after')) > 0, path);
      // A HEAD request counts like its GET.
      if (method === 'GET') assert.equal((await call('HEAD')).status, 429, path);
    }
    const elsewhere = await latchkey.auth('/v1/auth/login/passkey/options', { body: {}, headers: from('198.18.41.2') });
    assert.equal(elsewhere.status, 200);
  });

  test('with a valid proof are not counted; those with an invalid one are', async () => {
    const { email } = await register(latchkey);
    const counts = sourceCounts(latchkey.system);
    counts.add('proof', '198.18.42.1/32', SOURCE_COUNTERS.proof.points - 1);
    assert.equal((await login(email, '198.18.42.1')).status, 200);
    expectProblem(await guess(email, '198.18.42.1'), 401, 'INVALID_CREDENTIALS');
    expectProblem(await login(email, '198.18.42.1'), 429, 'RATE_LIMIT_EXCEEDED');
  });

  test('need a declared limit: no process starts with a changing route that has none', async () => {
    const app = await createHost(
      { ...latchkey.system, metrics: new Registry() },
      { kind: 'auth', environment: 'test' },
    );
    const uncounted = { method: 'POST', path: '/v1/uncounted', permission: 'public' } as const;
    assert.throws(() => mount(app, [{ ...uncounted, handler: () => 'done' }]), /does not declare its counter/);
    await app.close();
  });
});

/** Public routes with their limit, or the reason why they have none. */
const anonymous = [
  ...new Map(
    Object.values(served)
      .flat()
      .filter(({ counted }) => counted !== undefined)
      .map((route) => [`${route.method} ${route.path}`, route]),
  ).values(),
].sort((one, other) => one.path.localeCompare(other.path) || one.method.localeCompare(other.method));

function hostOf(path: string) {
  if (path.startsWith('/scim/')) return latchkey.api;
  return /^\/(console|status)/.test(path) ? latchkey.console : latchkey.auth;
}

function counterNamed(name: string): SourceCounter {
  assert.ok(name === 'begin' || name === 'proof' || name === 'password' || name === 'client');
  return name;
}

describe('docs/security-model.md', () => {
  const documented = (name: string) => {
    const page = readFileSync(new URL('../../../docs/security-model.md', import.meta.url), 'utf8');
    return page.split(`<!-- table: ${name} -->`)[1]?.split('<!-- /table -->')[0]?.trim();
  };

  test('lists the counters', () => {
    const rows = Object.entries(COUNTERS).map(
      ([name, { points, seconds, counts, beyond }]) => `| ${name} | ${counts} | ${points} | ${seconds} | ${beyond} |`,
    );
    const head = ['| counter | counts | at most | seconds | beyond |', '|---|---|---|---|---|'];
    assert.equal(documented('counters'), [...head, ...rows].join('\n'));
  });

  test('lists the counters of anonymous requests, and every route', () => {
    const rules = Object.entries(SOURCE_COUNTERS).map(
      ([name, { points, counts, of }]) => `| ${name} | ${counts} | ${of} | ${points} |`,
    );
    const head = ['| counter | counts | of these | at most |', '|---|---|---|---|'];
    assert.equal(documented('source counters'), [...head, ...rules].join('\n'));
    const routes = Map.groupBy(anonymous, ({ counted }) =>
      typeof counted === 'string' ? counted : `not: ${counted?.uncounted}`,
    );
    const listed = [...routes].map(
      ([counted, some]) => `| ${counted} | ${some.map(({ method, path }) => `\`${method} ${path}\``).join(', ')} |`,
    );
    assert.equal(documented('anonymous routes'), ['| counted as | routes |', '|---|---|', ...listed.sort()].join('\n'));
  });
});

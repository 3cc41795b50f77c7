import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addMember } from '#members';
import { hashPassword } from '#passwords';
import { createUser } from '#people';
import { newEmail, PASSWORD, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';

const PER_CLASS = 120;
/** Subscribers in each state of a subscription. */
const SUBSCRIBERS = 60;
/** Two-sided, so that a chance difference fails about once in a million runs. */
const CRITICAL_T = 4.9;

/** A password hash takes milliseconds, so a hash that is computed for only one class is noticed. */
const PASSWORD_COST = { memoryCost: 4_096, timeCost: 1 };

const clock = new TestClock();
let latchkey: TestLatchkey;
let known: string[];
before(async () => {
  latchkey = await startTestLatchkey({ clock, passwordCost: PASSWORD_COST });
  known = Array.from({ length: PER_CLASS }, newEmail);
  const passwordHash = await hashPassword(latchkey, PASSWORD);
  await latchkey.inProject(
    (tx) =>
      inTurn(known, async (value) => {
        const address = { kind: 'email', value, verified: true } as const;
        await addMember(tx, await createUser(tx, { address, passwordHash, profile: {} }));
      }),
    { environment: 'production' },
  );
});
after(() => latchkey.stop());

type Response = { status: number; headers: Headers; text: string };
type Sample = { milliseconds: number; response: Response };
type Samples = { known: Sample[]; unknown: Sample[] };
type Attempt = (email: string, headers: Record<string, string>) => Promise<Response>;

let asked = 0;

/** Every request has its own source address, so that none reaches the limit of a source. */
function nextAddress(): string {
  asked += 1;
  return `10.1.${asked >> 8}.${asked & 255}`;
}

/** Alternates between the two classes, so that other load on the machine affects both. */
async function compare(attempt: Attempt, unknown: string[] = known.map(newEmail), addresses = known): Promise<Samples> {
  const samples: Samples = { known: [], unknown: [] };
  const measure = async (into: Sample[], email: string) => {
    const headers = { 'x-forwarded-for': nextAddress() };
    const began = performance.now();
    const response = await attempt(email, headers);
    into.push({ milliseconds: performance.now() - began, response });
  };
  for (const [index, email] of addresses.entries()) {
    const pair = [() => measure(samples.known, email), () => measure(samples.unknown, unknown[index] ?? newEmail())];
    // biome-ignore lint/performance/noAwaitInLoops: one measurement at a time
    for (const step of index % 2 === 0 ? pair : pair.reverse()) await step();
  }
  return samples;
}

/** Welch's t of the two classes, without the slowest twentieth of each: those are pauses of the machine. */
function welch(first: Sample[], second: Sample[]): { t: number; difference: number } {
  const trimmed = (samples: Sample[]) => {
    const sorted = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    return sorted.slice(0, Math.floor(sorted.length * 0.95));
  };
  const [a, b] = [trimmed(first), trimmed(second)];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = (values: number[]) =>
    values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1) / values.length;
  const difference = mean(a) - mean(b);
  return { t: difference / Math.sqrt(spread(a) + spread(b)), difference };
}

/**
 * The visible parts of a response, without those that always differ: ids, dates, tokens, the browser's mark, the
 * address itself.
 */
function visible({ status, headers, text }: Response): unknown {
  const names = [...headers.keys()]
    .filter((name) => !['date', 'x-correlation-id', 'traceparent', 'content-length'].includes(name))
    .sort();
  const { traceId: _trace, flowId: _flow, hint: _hint, ...rest } = JSON.parse(text);
  return { status, rest, headers: names.map((name) => [name, headers.get(name)?.replace(/-mark=[^;]+/, '-mark=')]) };
}

/** Sends requests without the checks of the harness, whose time would be measured too. */
function post(path: string, body: (email: string) => Record<string, unknown>): Attempt {
  return async (email, headers) => {
    const response = await fetch(latchkey.system.config.addresses.production.auth + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body(email)),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

const forgot = post('/v1/auth/password/forgot', (identifier) => ({ identifier }));
const attempts: Record<string, Attempt> = {
  'password sign-in': post('/v1/auth/login/password', (identifier) => ({ identifier, password: 'a wrong password' })),
  registration: post('/v1/auth/register', (email) => ({ email, password: PASSWORD })),
  'forgotten password': forgot,
  'magic link': post('/v1/auth/login/magic-link', (email) => ({ email })),
  'email code': post('/v1/auth/login/email-code', (email) => ({ email })),
};

/** Checks that the two classes look alike and take equally long. */
function expectAlike({ known: some, unknown }: { known: Sample[]; unknown: Sample[] }): void {
  const shapes = new Set([...some, ...unknown].map(({ response }) => JSON.stringify(visible(response))));
  assert.equal(shapes.size, 1, [...shapes].join('\n'));
  const { t, difference } = welch(some, unknown);
  assert.ok(
    Math.abs(t) < CRITICAL_T || Math.abs(difference) < 0.15,
    `t = ${t.toFixed(2)}, difference ${difference.toFixed(3)} ms`,
  );
}

describe('known and unknown addresses cannot be distinguished', () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    test(`AU-6 ${name}: same response and timing, ${2 * PER_CLASS} runs`, async () => {
      expectAlike(await compare(attempt));
    });
  }

  test(`AU-6 resend: same response and timing, ${2 * PER_CLASS} runs`, async () => {
    const unknown = known.map(newEmail);
    const flows = new Map<string, string>();
    await Promise.all(
      [...known, ...unknown].map(async (email) => {
        const { text } = await forgot(email, { 'x-forwarded-for': nextAddress() });
        flows.set(email, JSON.parse(text).flowId);
      }),
    );
    clock.advance(31_000);
    const resend = post('/v1/auth/email/resend', (email) => ({ flowId: flows.get(email) }));
    expectAlike(await compare(resend, unknown));
  });

  for (const state of ['pending', 'active', 'unsubscribed', 'quarantined']) {
    test(`AU-6 ST-1 status subscribe, ${state}: same response and timing, ${2 * SUBSCRIBERS} runs`, async () => {
      const addresses = Array.from({ length: SUBSCRIBERS }, newEmail);
      const subscribe = post('/api/status/subscribe', (email) => ({ channel: 'email', email }));
      const first = await Promise.all(addresses.map((email) => subscribe(email, { 'x-forwarded-for': nextAddress() })));
      assert.ok(first.every(({ status }) => status === 202));
      // A user who has left is known only by the digest of the address.
      const { rowCount } = await latchkey.system.pool.query(
        `update status_subscribers set state = $1, address = case when $1 = 'unsubscribed' then '' else address end
         where address = any($2)`,
        [state, addresses],
      );
      assert.equal(rowCount, SUBSCRIBERS);
      expectAlike(await compare(subscribe, addresses.map(newEmail), addresses));
    });
  }

  test('AU-6 the test can fail: it notices half a millisecond', () => {
    const samples = (shift: number) =>
      Array.from({ length: PER_CLASS }, (_, index) => ({
        milliseconds: 30 + shift + ((index * 7919) % 101) / 50,
        response: { status: 0, headers: new Headers(), text: '' },
      }));
    const { t, difference } = welch(samples(0.5), samples(0));
    assert.ok(Math.abs(t) > CRITICAL_T && Math.abs(difference) > 0.15);
  });
});

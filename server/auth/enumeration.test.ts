import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createUser, hashPassword } from '#identity';
import { addMember } from '#members';
import { type Answer, newEmail, PASSWORD, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const PER_CLASS = 500;
/** Two-sided, so that a chance difference fails about once in a million runs. */
const CRITICAL_T = 4.9;

let latchkey: TestLatchkey;
let known: string[];
before(async () => {
  latchkey = await startTestLatchkey();
  known = Array.from({ length: PER_CLASS }, newEmail);
  const passwordHash = await hashPassword(latchkey.system, PASSWORD);
  await latchkey.inProject(
    async (tx) => {
      for (const email of known) {
        // biome-ignore lint/performance/noAwaitInLoops: one connection
        await addMember(
          tx,
          await createUser(tx, { address: { kind: 'email', value: email, verified: true }, passwordHash, profile: {} }),
        );
      }
    },
    { environment: 'production' },
  );
});
after(() => latchkey.stop());

type Sample = { milliseconds: number; answer: Answer };

/** Runs both classes in turns, so that whatever else the machine does falls on both alike. */
async function compare(attempt: (email: string) => Promise<Answer>): Promise<{ known: Sample[]; unknown: Sample[] }> {
  const samples: { known: Sample[]; unknown: Sample[] } = { known: [], unknown: [] };
  const measure = async (into: Sample[], email: string) => {
    const began = performance.now();
    const answer = await attempt(email);
    into.push({ milliseconds: performance.now() - began, answer });
  };
  for (const [index, email] of known.entries()) {
    const pair = [() => measure(samples.known, email), () => measure(samples.unknown, newEmail())];
    // biome-ignore lint/performance/noAwaitInLoops: one measurement at a time
    for (const step of index % 2 === 0 ? pair : pair.reverse()) await step();
  }
  return samples;
}

/** Welch's t of the two classes, without the slowest twentieth of each: pauses of the machine, not of the code. */
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

/** What a caller can see of an answer, without what is new in each: ids, dates, tokens, the address itself. */
function visible({ status, headers, body }: Answer): unknown {
  const names = [...headers.keys()]
    .filter((name) => !['date', 'x-correlation-id', 'traceparent', 'content-length'].includes(name))
    .sort();
  const { traceId: _trace, flowId: _flow, hint: _hint, ...rest } = body;
  return { status, rest, headers: names.map((name) => [name, headers.get(name)]) };
}

describe('known and unknown addresses can not be told apart', () => {
  test(`AU-6 password sign-in: same answer and timing, ${2 * PER_CLASS} runs`, async () => {
    const samples = await compare((email) =>
      latchkey.auth(
        '/v1/auth/login/password',
        { body: { identifier: email, password: 'a wrong password it is' } },
        'production',
      ),
    );
    const shapes = new Set([...samples.known, ...samples.unknown].map(({ answer }) => JSON.stringify(visible(answer))));
    assert.equal(shapes.size, 1, [...shapes].join('\n'));
    const { t, difference } = welch(samples.known, samples.unknown);
    assert.ok(
      Math.abs(t) < CRITICAL_T || Math.abs(difference) < 0.15,
      `t = ${t.toFixed(2)}, difference ${difference.toFixed(3)} ms`,
    );
  });

  test(`AU-6 registration: same answer and timing, ${2 * PER_CLASS} runs`, async () => {
    const samples = await compare((email) =>
      latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD } }, 'production'),
    );
    const shapes = new Set([...samples.known, ...samples.unknown].map(({ answer }) => JSON.stringify(visible(answer))));
    assert.equal(shapes.size, 1, [...shapes].join('\n'));
    const { t, difference } = welch(samples.known, samples.unknown);
    assert.ok(
      Math.abs(t) < CRITICAL_T || Math.abs(difference) < 0.15,
      `t = ${t.toFixed(2)}, difference ${difference.toFixed(3)} ms`,
    );
  });

  test('AU-6 the test can fail: half a millisecond is seen', () => {
    const samples = (shift: number) =>
      Array.from({ length: PER_CLASS }, (_, index) => ({
        milliseconds: 30 + shift + ((index * 7919) % 101) / 50,
        answer: { status: 0, headers: new Headers(), body: {}, text: '' },
      }));
    const { t, difference } = welch(samples(0.5), samples(0));
    assert.ok(Math.abs(t) > CRITICAL_T && Math.abs(difference) > 0.15);
  });
});

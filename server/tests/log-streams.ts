import assert from 'node:assert/strict';
import { emit } from '#events';
import { eventually, managementToken, type TestClock, type TestLatchkey, type TestResponse } from './harness.ts';

/** The event type that these tests trigger and select; nothing else in them emits it. */
export const TYPE = 'user.logout';

export type LogStreams = {
  /** Calls `/v1/admin/log-streams…` as the demo's back end. */
  admin: (path: string, call?: Parameters<TestLatchkey['api']>[1]) => Promise<TestResponse>;
  /** Adds a stream of {@link TYPE}. */
  create: (body: Record<string, unknown>) => Promise<TestResponse['body']>;
  /**
   * Triggers events.
   * @returns the users they are about, in order
   */
  happen: (count: number) => Promise<string[]>;
  /** Lets time pass, so that a stream that failed tries again. */
  pass: (milliseconds: number) => void;
  /** Waits until a stream has sent this many entries, and nothing waits for it. */
  drained: (id: string, sent: number) => Promise<TestResponse['body']>;
  /** Waits until a stream fails. */
  failing: (id: string) => Promise<TestResponse['body']>;
  faults: (id: string) => Promise<TestResponse['body'][]>;
  remove: (id: string) => Promise<TestResponse>;
};

/** Helpers for tests of log streams. */
export function logStreamsOf(latchkey: TestLatchkey, clock: TestClock): LogStreams {
  let people = 0;
  const admin: LogStreams['admin'] = async (path, call = {}) =>
    // A new token for each call, because the clock moves past its expiry.
    latchkey.api(`/v1/admin/log-streams${path}`, { token: await managementToken(latchkey), ...call });
  const read = async (id: string) => (await admin(`/${id}`)).body;
  return {
    admin,
    create: async (body) => {
      const made = await admin('', { body: { name: 'Test', types: [TYPE], ...body } });
      assert.equal(made.status, 201, made.text);
      return made.body;
    },
    happen: async (count) => {
      const ids = Array.from({ length: count }, (_, index) => `usr_${people + index}`);
      people += count;
      await latchkey.inProject(async (tx) => {
        for (const userId of ids) {
          // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
          await emit(tx, TYPE, { userId, everywhere: false });
        }
      });
      return ids;
    },
    pass: (milliseconds) => clock.advance(milliseconds),
    drained: (id, sent) =>
      eventually(async () => {
        const stream = await read(id);
        assert.deepEqual([stream.delivery.sent, stream.delivery.waiting], [sent, 0], JSON.stringify(stream.delivery));
        return stream;
      }),
    failing: (id) =>
      eventually(async () => {
        const stream = await read(id);
        assert.notEqual(stream.delivery.failingSince, null);
        return stream;
      }),
    faults: async (id) => (await admin(`/${id}/faults?limit=100`)).body.items,
    remove: (id) => admin(`/${id}`, { method: 'DELETE' }),
  };
}

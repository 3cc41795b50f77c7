import assert from 'node:assert/strict';
import { emit } from '#events';
import {
  eventually,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The event type that these tests trigger; nothing else in them emits it. */
const TYPE = 'user.logout';

/** A Latchkey with a clock of its own and a receiver, and helpers for tests of webhooks. */
export type Webhooks = {
  latchkey: TestLatchkey;
  receiver: Receiver;
  clock: TestClock;
  /** Calls `/v1/admin/webhooks…` as the demo's back end. */
  admin: (path: string, call?: Parameters<TestLatchkey['api']>[1]) => Promise<TestResponse>;
  /**
   * Creates an endpoint at a path of the receiver.
   * @returns the record with its secret
   */
  endpointFor: (path: string, body?: Record<string, unknown>) => Promise<TestResponse['body']>;
  /**
   * Triggers an event.
   * @returns the user it is about
   */
  happen: () => Promise<string>;
  /**
   * Deliveries to an endpoint, newest first.
   * @param filter further query parameters, starting with &
   */
  deliveriesOf: (endpointId: string, filter?: string) => Promise<TestResponse['body'][]>;
  /**
   * Waits until the newest delivery to an endpoint has a status.
   * @returns the delivery with its attempts
   */
  settled: (endpointId: string, status: string) => Promise<TestResponse['body']>;
  remove: (endpointId: string) => Promise<TestResponse>;
  stop: () => Promise<void>;
};

export async function startWebhooks(): Promise<Webhooks> {
  const clock = new TestClock();
  const [latchkey, receiver] = await Promise.all([startTestLatchkey({ clock }), startReceiver()]);
  let people = 0;
  const admin: Webhooks['admin'] = async (path, call = {}) =>
    // A new token for each call, because the clock moves past its expiry.
    latchkey.api(`/v1/admin/webhooks${path}`, { token: await managementToken(latchkey), ...call });
  const deliveriesOf: Webhooks['deliveriesOf'] = async (endpointId, filter = '') =>
    (await admin(`/deliveries?limit=100&endpointId=${endpointId}${filter}`)).body.items;
  return {
    latchkey,
    receiver,
    clock,
    admin,
    deliveriesOf,
    endpointFor: async (path, body = {}) => {
      const made = await admin('/endpoints', { body: { url: receiver.origin + path, events: [TYPE], ...body } });
      assert.equal(made.status, 201, made.text);
      return made.body;
    },
    happen: async () => {
      people += 1;
      const userId = `usr_${people}`;
      await latchkey.inProject((tx) => emit(tx, TYPE, { userId, everywhere: false }));
      return userId;
    },
    settled: (endpointId, status) =>
      eventually(async () => {
        const [delivery] = await deliveriesOf(endpointId);
        assert.equal(delivery?.status, status);
        return (await admin(`/deliveries/${delivery.id}`)).body;
      }),
    remove: (id) => admin(`/endpoints/${id}`, { method: 'DELETE' }),
    stop: async () => {
      await Promise.all([latchkey.stop(), receiver.stop()]);
    },
  };
}

import { counter, type Metric } from '#platform/metrics.ts';

/** `refused`: the receiver's server rejected it for good; the sender is not at fault. */
export const messagesSent = counter({
  name: 'latchkey_messages_total',
  help: 'Attempts to send a message. `retried`: it failed and is repeated; `failed`: for the last time; `refused`: the receiver does not exist or rejects it; `expired`: its code was no longer valid.',
  labels: { channel: ['email', 'sms'], result: ['sent', 'retried', 'failed', 'refused', 'expired'] },
  roles: ['worker'],
});

export const metrics: readonly Metric[] = [messagesSent];

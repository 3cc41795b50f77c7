import { counter, type Metric } from '#platform/metrics.ts';

const RESULTS = ['sent', 'retried', 'failed', 'refused', 'expired'] as const;
export type MessageResult = (typeof RESULTS)[number];

/** `refused` is apart from `failed`, because a refusal says nothing about the health of the mail server or the carrier. */
export const messagesSent = counter({
  name: 'latchkey_messages_total',
  help: 'Attempts to send a message, by result. `retried`: the attempt failed and another follows; `failed`: the last attempt failed; `refused`: the recipient does not exist or rejects the message; `expired`: the code in the message was no longer valid.',
  labels: { channel: ['email', 'sms'], result: RESULTS },
  roles: ['worker'],
});

export const metrics: readonly Metric[] = [messagesSent];

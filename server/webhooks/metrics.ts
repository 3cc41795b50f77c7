import { counter, durations, gauge, type Metric } from '#platform/metrics.ts';
import { oldestDue } from './queue.ts';

export const attemptsMade = counter({
  name: 'latchkey_webhook_attempts_total',
  help: 'Attempts to deliver an event, by result. `retrying`: the attempt failed and another follows; `failed`: the last attempt failed; `blocked`: the address is not allowed.',
  labels: { result: ['delivered', 'retrying', 'failed', 'blocked'] },
  roles: ['worker'],
});

export const attemptDurations = durations({
  name: 'latchkey_webhook_attempt_duration_seconds',
  help: 'How long receivers took to respond, or to fail.',
  roles: ['worker'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

export const metrics: readonly Metric[] = [
  attemptsMade,
  attemptDurations,
  gauge({
    name: 'latchkey_webhook_deliveries_due_seconds',
    help: 'How long the oldest due delivery has waited. Deliveries to disabled and paused endpoints do not count.',
    roles: ['worker'],
    read: oldestDue,
  }),
];

import { gauge, type Metric } from '#platform/metrics.ts';
import { queues } from './hashing.ts';

const QUEUES = ['common', 'dear'] as const;

export const metrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_password_hashes_waiting',
    help: 'Password hashes that wait for their turn. `dear`: imported hashes that cost more than ours.',
    labels: { queue: QUEUES },
    roles: ['auth', 'api', 'console'],
    read: (system) => QUEUES.map((queue) => ({ labels: { queue }, value: queues(system)[queue].waiting })),
  }),
  gauge({
    name: 'latchkey_password_hashes_running',
    help: 'Password hashes that are being computed.',
    labels: { queue: QUEUES },
    roles: ['auth', 'api', 'console'],
    read: (system) => QUEUES.map((queue) => ({ labels: { queue }, value: queues(system)[queue].running })),
  }),
];

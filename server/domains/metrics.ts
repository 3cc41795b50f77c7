import { sql } from 'kysely';
import { gauge, type Metric } from '#platform/metrics.ts';

export const metrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_certificate_expires_seconds',
    help: 'The time until the first certificate of a custom domain expires; negative after it has expired. Absent without certificates.',
    roles: ['worker'],
    read: async (system) => {
      const { rows } = await sql<{ first: Date | null }>`
        select min(not_after) as first from domain_certificates /* all workspaces */`.execute(system.db);
      const first = rows[0]?.first;
      return first ? (first.getTime() - system.clock.now().getTime()) / 1000 : null;
    },
  }),
  gauge({
    name: 'latchkey_certificates_failing',
    help: 'Custom domains whose last certificate order failed.',
    roles: ['worker'],
    read: async (system) => {
      const { rows } = await sql<{ failing: number }>`
        select count(*) as failing from domain_certificates where failed_orders > 0 /* all workspaces */`.execute(
        system.db,
      );
      return rows[0]?.failing ?? 0;
    },
  }),
];

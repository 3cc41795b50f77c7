import { sql } from 'kysely';
import { gauge, type Metric } from '#platform/metrics.ts';

export const metrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_events_unnumbered_seconds',
    help: 'How long the oldest event without a number has waited. Webhooks and readers of the feed get only numbered events.',
    roles: ['worker'],
    // Served by events_unnumbered.
    read: async (system) => {
      const { rows } = await sql<{ age: number }>`
        select extract(epoch from now() - occurred_at)::float8 as age from events
        where sequence is null order by id limit 1 /* all workspaces */`.execute(system.db);
      return Math.max(0, rows[0]?.age ?? 0);
    },
  }),
];

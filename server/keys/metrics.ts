import { sql } from 'kysely';
import { type Environment, environments } from '#platform/ctx.ts';
import { gauge, type Metric } from '#platform/metrics.ts';
import { type Algorithm, algorithms } from './signing-keys.ts';

export const metrics: readonly Metric[] = [
  gauge({
    name: 'latchkey_signing_key_age_seconds',
    help: 'How long the newest signing key has been in use. Keys are replaced after 90 days.',
    labels: { environment: environments, algorithm: algorithms },
    roles: ['worker'],
    read: async (system) => {
      const now = system.clock.now();
      const { rows } = await sql<{ environment: Environment; algorithm: Algorithm; since: Date }>`
        select environment, algorithm, max(signs_from) as since from signing_keys
        where signs_from <= ${now} and (retires_at is null or retires_at > ${now}) group by 1, 2`.execute(system.db);
      return rows.map(({ since, ...labels }) => ({ labels, value: (now.getTime() - since.getTime()) / 1000 }));
    },
  }),
];

import { collectDefaultMetrics } from 'prom-client';
import { backfillMetrics } from '#platform/backfills.ts';
import { httpDurations } from '#platform/http-metrics.ts';
import { jobMetrics } from '#platform/job-metrics.ts';
import { leaders } from '#platform/leading.ts';
import { gauge, type Metric } from '#platform/metrics.ts';
import { processMetrics } from '#platform/process-metrics.ts';
import { readinessOf } from '#platform/readiness.ts';
import { periodicRuns } from '#platform/repeating.ts';
import { statementDurations } from '#platform/statements.ts';
import type { System } from '#platform/system.ts';
import { PARTS } from './parts.ts';

const ready = gauge({
  name: 'latchkey_ready',
  help: 'The checks of `/readyz`: 1 if it passes.',
  labels: { check: ['database', 'feed'] },
  read: async (system) =>
    Object.entries(await readinessOf(system)).map(([check, passes]) => ({ labels: { check }, value: passes ? 1 : 0 })),
});

const info = gauge({
  name: 'latchkey_info',
  help: 'Always 1; the label tells what the process does.',
  labels: { roles: 'the roles of the process, separated by commas' },
  read: ({ config }) => [{ labels: { roles: config.roles.join() }, value: 1 }],
});

/** Every metric but those of Node.js. docs/monitoring.md lists them. */
export const METRICS: readonly Metric[] = [
  info,
  ready,
  httpDurations,
  statementDurations,
  ...processMetrics,
  leaders,
  ...jobMetrics,
  ...backfillMetrics,
  periodicRuns,
  ...PARTS.flatMap(({ metrics = [] }) => metrics),
];

/** Registers the metrics of the process's roles before anything is measured, so that a rate can be computed from the start. */
export function registerMetrics(system: System): void {
  collectDefaultMetrics({ register: system.metrics });
  const own = METRICS.filter(({ roles }) => !roles || roles.some((role) => system.config.roles.includes(role)));
  for (const metric of own) metric.register(system);
}

import { sql } from 'kysely';
import { auditBacklogs } from '#audit';
import type { Scope } from '#platform/ctx.ts';
import { counter, gauge, type Metric, shared } from '#platform/metrics.ts';
import type { System } from '#platform/system.ts';
import { isOpen } from '#tenancy';

type Progress = { failing: boolean; entries: number; seconds: number };

/** The state of every active stream. A closed project or workspace sends nothing, so its streams are left out. */
const activeStreams = shared(async (system: System): Promise<Progress[]> => {
  const { rows } = await sql<Scope & { after: number; failing: boolean }>`
    select workspace_id as "workspaceId", project_id as "projectId", environment, position as after,
      failing_since is not null as failing
    from log_streams /* all workspaces */ where state = 'active' and ${isOpen('log_streams')}`.execute(system.db);
  const backlogs = await auditBacklogs(system, rows);
  const now = system.clock.now().getTime();
  return rows.map(({ after, failing }, index) => {
    const { last = after, oldest = null } = backlogs[index] ?? {};
    return { failing, entries: last - after, seconds: oldest === null ? 0 : (now - oldest.getTime()) / 1000 };
  });
});

export const requestsMade = counter({
  name: 'latchkey_log_stream_requests_total',
  help: 'Requests to destinations of log streams, by result. `refused`: the destination rejects the content; `failed`: the request is repeated later.',
  labels: { result: ['accepted', 'refused', 'failed'] },
  roles: ['worker'],
});

/** The admin API has the lag of each stream. Here, one series per stream would mean one series per project. */
export const metrics: readonly Metric[] = [
  requestsMade,
  gauge({
    name: 'latchkey_log_stream_lag_seconds',
    help: 'The age of the oldest entry that an active log stream has not sent yet.',
    roles: ['worker'],
    read: async (system) => Math.max(0, ...(await activeStreams(system)).map(({ seconds }) => seconds)),
  }),
  gauge({
    name: 'latchkey_log_stream_lag_entries',
    help: 'How many entries the active log stream that is furthest behind has not sent yet.',
    roles: ['worker'],
    read: async (system) => Math.max(0, ...(await activeStreams(system)).map(({ entries }) => entries)),
  }),
  gauge({
    name: 'latchkey_log_streams_failing',
    help: 'Active log streams whose last request failed.',
    roles: ['worker'],
    read: async (system) => (await activeStreams(system)).filter(({ failing }) => failing).length,
  }),
];

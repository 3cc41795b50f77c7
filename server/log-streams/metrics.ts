import { sql } from 'kysely';
import { auditBacklogs } from '#audit';
import type { Scope } from '#platform/ctx.ts';
import { counter, gauge, type Metric } from '#platform/metrics.ts';
import type { System } from '#platform/system.ts';

/** What waits for each active stream of all projects. */
async function lagsOf(system: System): Promise<{ entries: number; seconds: number }[]> {
  const { rows } = await sql<Scope & { after: number }>`
    select workspace_id as "workspaceId", project_id as "projectId", environment, position as after
    from log_streams /* all workspaces */ where state = 'active'`.execute(system.db);
  const backlogs = await auditBacklogs(system.db, rows);
  const now = system.clock.now().getTime();
  return rows.map(({ after }, index) => {
    const { last = after, oldest = null } = backlogs[index] ?? {};
    return { entries: last - after, seconds: oldest === null ? 0 : (now - oldest.getTime()) / 1000 };
  });
}

async function failingStreams(system: System): Promise<number> {
  const { rows } = await sql<{ failing: number }>`
    select count(*) as failing from log_streams /* all workspaces */ where state = 'active' and failing_since is not null`.execute(
    system.db,
  );
  return rows[0]?.failing ?? 0;
}

/** Requests of log streams by their outcome. */
export const requestsMade = counter({
  name: 'latchkey_log_stream_requests_total',
  help: 'Requests to destinations of log streams. `refused`: the destination does not take the content; `failed`: it is tried again.',
  labels: { result: ['accepted', 'refused', 'failed'] },
  roles: ['worker'],
});

/** The lag of each stream stands in the admin API: a series per stream would be a series per project. */
export const metrics: readonly Metric[] = [
  requestsMade,
  gauge({
    name: 'latchkey_log_stream_lag_seconds',
    help: 'The age of the oldest entry that waits for any log stream that is not paused.',
    roles: ['worker'],
    read: async (system) => Math.max(0, ...(await lagsOf(system)).map(({ seconds }) => seconds)),
  }),
  gauge({
    name: 'latchkey_log_stream_lag_entries',
    help: 'How many entries wait for the log stream with the most of them.',
    roles: ['worker'],
    read: async (system) => Math.max(0, ...(await lagsOf(system)).map(({ entries }) => entries)),
  }),
  gauge({
    name: 'latchkey_log_streams_failing',
    help: 'Log streams that are not paused and whose last request failed.',
    roles: ['worker'],
    read: failingStreams,
  }),
];

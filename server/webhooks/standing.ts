import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

/**
 * How many workspaces' endpoints take what they are sent, and how many workspaces have none left that does, because all of
 * them stopped within the last half hour. Nobody can turn this alone: only endpoints for events count that once took something
 * at their address, never receivers of status subscribers; a workspace has one vote however many endpoints it has, and many
 * workspaces that send to one host have one. What has failed for longer is its receiver's fault, and says nothing of ours.
 */
export async function endpointStanding(
  system: System,
  environment: Environment,
): Promise<{ good: number; bad: number }> {
  const { rows } = await sql<{ good: number; bad: number }>`
    with votes as (
      select workspace_id, bool_or(failing_since is null) as good,
        min(substring(url from '^[a-z]+://([^/?#]*)')) as host
      from webhook_endpoints /* all workspaces */
      where environment = ${environment} and purpose = 'events' and succeeded_at is not null and enabled and deleted_at is null
        and (failing_since is null or failing_since > ${system.clock.now()}::timestamptz - interval '30 minutes')
      group by workspace_id)
    select count(*) filter (where good)::integer as good, count(distinct host) filter (where not good)::integer as bad
    from votes`.execute(system.db);
  return rows[0] ?? { good: 0, bad: 0 };
}

import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

/**
 * Counts workspaces with a working endpoint, and workspaces whose endpoints all stopped working within the last half
 * hour. No single customer can sway the numbers: only event endpoints count that once succeeded at their address, never
 * receivers of status subscribers; each workspace counts once, and workspaces that send to the same host count as one.
 * An endpoint that has failed for longer is its receiver's fault.
 */
export async function countWorkingEndpoints(
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

import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';

/**
 * How many endpoints of an environment take what they are sent, and how many stopped doing so within the last half hour. One
 * that has failed for longer is its receiver's fault, and says nothing of ours.
 */
export async function endpointStanding(
  system: System,
  environment: Environment,
): Promise<{ good: number; bad: number }> {
  const { rows } = await sql<{ good: number; bad: number }>`
    select count(*) filter (where failing_since is null) as good,
      count(*) filter (where failing_since > ${system.clock.now()}::timestamptz - interval '30 minutes') as bad
    from webhook_endpoints /* all workspaces */
    where environment = ${environment} and enabled and deleted_at is null`.execute(system.db);
  return rows[0] ?? { good: 0, bad: 0 };
}

import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';

/** A user whose stored address does not pass the rule for new addresses. */
export type OldAddress = { workspaceId: WorkspaceId; environment: Environment; userId: UserId };

/** Matches addresses that are certainly valid; only the rest is parsed one by one. */
const PLAIN = '^[a-z0-9_+-]+(\\.[a-z0-9_+-]+)*@([a-z0-9]+(-[a-z0-9]+)*\\.)+[a-z]{2,}$';
const MAX_READ = 100_000;

/**
 * Users whose address was stored before addresses were parsed and would be rejected today. They can still sign in with
 * it. Reads the whole table once.
 */
export async function oldAddresses(system: System): Promise<OldAddress[]> {
  const { rows } = await sql<OldAddress & { value: string }>`
    select workspace_id as "workspaceId", environment, user_id as "userId", value from identifiers /* all workspaces */
    where kind = 'email' and (value !~ ${PLAIN} or length(value) > 64)
    order by user_id limit ${MAX_READ}`.execute(system.db);
  return rows.flatMap(({ value, ...of }) => (parseEmail(value) === value ? [] : [of]));
}

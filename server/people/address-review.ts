import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';

/** Somebody whose stored address is none by the rule that new ones have to pass. */
export type OldAddress = { workspaceId: WorkspaceId; environment: Environment; userId: UserId };

/** What surely passes; only the rest is looked at one by one. */
const PLAIN = '^[a-z0-9_+-]+(\\.[a-z0-9_+-]+)*@([a-z0-9]+(-[a-z0-9]+)*\\.)+[a-z]{2,}$';
const MAX_READ = 100_000;

/**
 * People whose address was stored before addresses were parsed, and would not be taken today: they go on signing in with it.
 * Reads the whole table once.
 */
export async function oldAddresses(system: System): Promise<OldAddress[]> {
  const { rows } = await sql<OldAddress & { value: string }>`
    select workspace_id as "workspaceId", environment, user_id as "userId", value from identifiers /* all workspaces */
    where kind = 'email' and (value !~ ${PLAIN} or length(value) > 64)
    order by user_id limit ${MAX_READ}`.execute(system.db);
  return rows.flatMap(({ value, ...of }) => (parseEmail(value) === value ? [] : [of]));
}

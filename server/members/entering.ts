import { type RawBuilder, sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, UserId } from '#platform/ids.ts';
import type { EnteringMember } from '#platform/part.ts';
import { problem } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import type { MemberStatus } from './members.ts';

type Reader = Pick<Ctx | TxCtx, 'scope' | 'system'>;

/** `concerns`: whether a part has something to do when this member enters. */
type Entering = { id: MemberId; status: MemberStatus; concerns: boolean };

/** SQL: the membership of a user, for a sign-in that reads it with its own statement. Served by members_of_user. */
function readWith(ctx: Reader, userId: RawBuilder<unknown>): RawBuilder<Entering | null> {
  const { workspaceId, projectId, environment } = ctx.scope;
  return sql<Entering | null>`(select json_build_object('id', id, 'status', status, 'concerns', ${concerns(ctx)})
    from members where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
    and user_id = ${userId})`;
}

function concerns({ scope, system }: Reader): RawBuilder<boolean> {
  const all = system.parts.flatMap(({ entering: work }) => (work ? [work.concerns({ scope })] : []));
  return sql<boolean>`(${sql.join([sql`false`, ...all], sql` or `)})`;
}

/**
 * The statement that records that a user enters the project, which lets the project see the account. It waits for a
 * change of the member that has begun; a block or removal then leaves no row.
 */
function seen(tx: TxCtx, userId: UserId) {
  return tx.db
    .updateTable('members')
    .set({ last_seen_at: tx.now, known_as: null })
    .where(inScope(tx))
    .where('user_id', '=', userId)
    .where('status', '!=', 'blocked')
    .returning('id');
}

/**
 * Records that a user enters the project, and does what parts of the program have to do then.
 * @throws Problem MEMBERSHIP_REQUIRED for a member who was blocked or removed after they were admitted
 */
async function note(tx: TxCtx, userId: UserId): Promise<void> {
  const member = await seen(tx, userId).returning(concerns(tx).as('concerns')).executeTakeFirst();
  if (!member) throw problem('MEMBERSHIP_REQUIRED');
  if (member.concerns) await work(tx, { memberId: member.id, userId });
}

async function work(tx: TxCtx, member: EnteringMember): Promise<void> {
  for (const { entering: each } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await each?.enter(tx, member);
  }
}

/** What happens when a member enters the project. `note` does all of it. A sign-in that counts its statements uses the others. */
export const entering = { readWith, seen, work, note };

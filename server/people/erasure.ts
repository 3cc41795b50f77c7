import { type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit, emitAll } from '#events';
import { sendMessage } from '#messages';
import { type Ctx, NO_PROJECT, type TxCtx } from '#platform/ctx.ts';
import { IdSchema, type ProjectId, type UserId } from '#platform/ids.ts';
import { addJob, addJobs } from '#platform/jobs.ts';
import { inRealm } from '#platform/scoped.ts';
import { runErasureStep } from './erasure-steps.ts';
import { usersById } from './users.ts';

/** The payload of the job that erases a user. */
export const ErasureWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  userId: IdSchema('usr'),
});
export type ErasureWork = Static<typeof ErasureWork>;

declare module '#platform/jobs.ts' {
  interface Jobs {
    erase_user: ErasureWork;
  }
}

/** How long an erasure can be cancelled, in milliseconds. */
const UNDO_MS = 7 * 86_400_000;

/**
 * Schedules the erasure of a user in seven days and notifies them; signing in before then cancels it. One that the user
 * requested stays as it is.
 * @param because a user who is in no project is kept if they are added to one before the erasure
 * @returns when the user is erased
 * @throws Problem LAST_OWNER if a part needs a successor first
 */
export async function scheduleErasure(
  tx: TxCtx,
  userId: UserId,
  because: 'requested' | 'in no project',
): Promise<Date> {
  await runErasureStep(tx, userId, 'requested');
  const erasesAt = new Date(tx.now.getTime() + UNDO_MS);
  const row = await tx.db
    .updateTable('users')
    .set({
      erase_at: sql<Date>`case when ${NOT_REQUESTED} then ${erasesAt}::timestamptz else erase_at end`,
      erase_without_project: sql<boolean>`${because === 'in no project'} and ${NOT_REQUESTED}`,
    })
    .where(inRealm(tx))
    .where('id', '=', userId)
    .returning('erase_at')
    .executeTakeFirstOrThrow();
  if (row.erase_at === null || row.erase_at < erasesAt) return row.erase_at ?? erasesAt;
  await eraseUserJob(tx, userId, erasesAt);
  await emit(tx, 'user.erasure.scheduled', { userId, erasesAt: erasesAt.toISOString() });
  const user = (await usersById(tx, [userId])).get(userId);
  if (user?.email) {
    const variables = { date: erasesAt.toISOString().slice(0, 10) };
    await sendMessage(tx, { template: 'account_erasure', to: user.email, locale: user.locale, variables });
  }
  return erasesAt;
}

/** No erasure is scheduled, or only one that being in a project again would have cancelled. */
const NOT_REQUESTED = sql<boolean>`(erase_at is null or erase_without_project)`;

/**
 * Keeps people from joining or leaving projects, and from what holds them, until the transaction ends. Served by the primary
 * key.
 * @returns the project that created each account; null if it is not known
 */
export async function lockUsers(tx: TxCtx, ids: readonly UserId[]): Promise<ReadonlyMap<UserId, ProjectId | null>> {
  const rows = await tx.db
    .selectFrom('users')
    .select(['id', 'home_project_id'])
    .where(inRealm(tx))
    .where('id', '=', sql<UserId>`any(${[...ids]})`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.id, row.home_project_id]));
}

/**
 * {@link scheduleErasure} for people whose last project was removed. Sends no mail, because no project is left to send
 * it. Signing in to another project of the workspace cancels the erasure.
 */
export async function scheduleErasures(tx: TxCtx, ids: readonly UserId[]): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  const erasesAt = new Date(tx.now.getTime() + UNDO_MS);
  const scheduled = await tx.db
    .updateTable('users')
    .set({ erase_at: erasesAt, erase_without_project: true })
    .where(inRealm(tx))
    .where('id', '=', sql<UserId>`any(${[...ids]})`)
    .where(NOT_REQUESTED)
    .returning('id')
    .execute();
  if (scheduled.length === 0) return;
  const jobs = scheduled.map(({ id: userId }) => ({
    payload: { workspaceId, projectId, environment, userId },
    key: jobKey(tx, userId),
  }));
  await addJobs(tx, 'erase_user', jobs, { priority: 10, runAt: erasesAt });
  const at = erasesAt.toISOString();
  await emitAll(
    tx,
    scheduled.map(({ id: userId }) => ({
      type: 'user.erasure.scheduled' as const,
      data: { userId, erasesAt: at },
      projectId: NO_PROJECT,
    })),
  );
}

function jobKey({ scope: { workspaceId, environment } }: TxCtx, userId: UserId): string {
  return `erase_user ${workspaceId} ${environment} ${userId}`;
}

/** Adds the job that erases a user; replaces one that is already waiting. */
export async function eraseUserJob(tx: TxCtx, userId: UserId, runAt: Date): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  const work = { workspaceId, projectId, environment, userId };
  await addJob(tx, 'erase_user', work, { runAt, key: jobKey(tx, userId) });
}

/** SQL: whether the erasure of a user is scheduled. Served by the primary key. */
export function erasureWith({ scope }: Pick<Ctx, 'scope'>, userId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(select erase_at is not null from users where workspace_id = ${scope.workspaceId}
    and environment = ${scope.environment} and id = ${userId})`;
}

/** Cancels the erasure of a user who signed in again, or is in a project again. */
export async function keepAccount(tx: TxCtx, userId: UserId): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('users')
    .set({ erase_at: null, erase_without_project: false })
    .where(inRealm(tx))
    .where('id', '=', userId)
    .where('erase_at', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await emit(tx, 'user.erasure.cancelled', { userId });
}

type Reader = Pick<Ctx, 'scope' | 'db'> | Pick<TxCtx, 'scope' | 'db'>;

/** Those of these members whose erasure is scheduled because they requested it. Served by the primary key. */
export async function usersAwaitingErasure(ctx: Reader, ids: readonly UserId[]): Promise<ReadonlySet<UserId>> {
  const rows = await ctx.db
    .selectFrom('users')
    .select('id')
    .where(inRealm(ctx))
    .where('id', '=', sql<UserId>`any(${[...ids]})`)
    .where('erase_at', 'is not', null)
    .where('erase_without_project', '=', false)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Deletes a user whose erasure is due, with everything that refers to them: identifiers, credentials, sessions,
 * memberships, consents. Waits longer if the erasure was scheduled again, and does nothing if it was cancelled. Keeps a
 * user who was in no project when it was scheduled, and is in one now. Locks the user, so that they can neither sign in
 * nor join a project concurrently.
 * @param later what parts after this one know and store about the user
 */
export async function eraseIfDue(
  tx: TxCtx,
  userId: UserId,
  later: { isInProject: () => Promise<boolean>; erase: () => Promise<void> },
): Promise<void> {
  const row = await tx.db
    .selectFrom('users')
    .select(['erase_at', 'erase_without_project'])
    .where(inRealm(tx))
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  if (!row?.erase_at) return;
  if (row.erase_at > tx.now) return eraseUserJob(tx, userId, row.erase_at);
  if (row.erase_without_project && (await later.isInProject())) return keepAccount(tx, userId);
  await runErasureStep(tx, userId, 'erased');
  await later.erase();
  await tx.db.deleteFrom('users').where(inRealm(tx)).where('id', '=', userId).execute();
}

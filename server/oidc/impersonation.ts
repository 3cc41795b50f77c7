import { sql } from 'kysely';
import { Type } from 'typebox';
import { accessOf, authorityNow } from '#members';
import { type Actor, type Ctx, customerOf, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ApplicationId, ProjectId, UserId } from '#platform/ids.ts';
import type { PermissionsChanged } from '#platform/part.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { at } from '#platform/scoped.ts';
import { endGrants, type GrantRef } from './grant-endings.ts';
import { type Place, placesOf } from './routed-ids.ts';

/** Who can act as a person: a member, an operator, or a management client. */
export type Supporter = Extract<Actor, { kind: 'customer' | 'operator' | 'management' }>;

/** The grant of an impersonation of its user. */
export type Impersonation = {
  supporter: Supporter;
  supporterId: UserId | ApplicationId;
  /** How the tokens name the supporter (`act.sub`). */
  act: string;
  reason: string;
  environment: Environment;
  /** Seconds since the epoch. */
  endsAt: number;
  /** Whether its ticket was not exchanged yet. */
  waiting: boolean;
};

/** A user whose impersonations ended, and the cause. */
type EndedUser = { userId: UserId; in: ProjectId | 'every project'; reason: string };

/** Who acts as a user now, the newest first. */
export const Impersonations = Type.Object(
  {
    impersonations: Type.Array(
      Type.Object({
        supporterId: Type.String({ description: 'The id of a user or of an application.' }),
        supporterKind: Type.Enum(['customer', 'operator', 'management']),
        reason: Type.String(),
        since: Instant,
        endsAt: Instant,
      }),
    ),
  },
  { title: 'Impersonations' },
);

/** Who acts in the project as the signed-in user. */
export function ownImpersonations(ctx: Ctx) {
  return impersonationsOf(ctx, customerOf(ctx).userId);
}

/** Who acts in the project as a user, the newest first. */
export async function impersonationsOf(ctx: Ctx, userId: UserId) {
  const rows = await liveImpersonations(ctx)
    .where(sql`payload->>'accountId'`, '=', userId)
    .where('project_id', '=', ctx.scope.projectId)
    .where(sql<boolean>`not (payload->'impersonation'->'waiting')::boolean`)
    .select(sql<number>`(payload->'iat')::integer`.as('iat'))
    .orderBy('iat', 'desc')
    .execute();
  return rows.map(({ impersonation: { supporter, supporterId, reason, endsAt }, iat }) => ({
    supporterId,
    supporterKind: supporter.kind,
    reason,
    since: instantOf(iat),
    endsAt: instantOf(endsAt),
  }));
}

export function instantOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/**
 * Ends what others do in the project in the name of the signed-in user.
 * @throws Problem NOT_FOUND
 */
export async function endOwnImpersonations(ctx: Ctx): Promise<void> {
  const ended = await transaction(ctx, (tx) =>
    endImpersonations(tx, { userId: customerOf(tx).userId, in: tx.scope.projectId, reason: 'user' }),
  );
  if (ended === 0) throw problem('NOT_FOUND');
}

/**
 * Ends the impersonations of a user, and the tickets for them.
 * @returns how many were ended
 */
export async function endImpersonations(tx: TxCtx, { userId, in: where, reason }: EndedUser): Promise<number> {
  const found = liveImpersonations(tx).where(sql`payload->>'accountId'`, '=', userId);
  const grants = await (where === 'every project' ? found : found.where('project_id', '=', where)).execute();
  await endGrants(tx, grants, reason);
  return grants.length;
}

/**
 * Ends the impersonations that a change of permissions no longer allows. Those of a changed application all end, like
 * its tokens.
 */
export async function endForbidden(tx: TxCtx, changed: PermissionsChanged, reason: string): Promise<void> {
  const ended: GrantRef[] = [];
  for (const grant of await concernedBy(tx, changed).execute()) {
    // biome-ignore lint/performance/noAwaitInLoops: few, on one connection
    if ((changed !== 'members' && 'applicationId' in changed) || !(await mayGoOn(tx, grant))) ended.push(grant);
  }
  await endGrants(tx, ended, reason);
}

function concernedBy(tx: TxCtx, changed: PermissionsChanged) {
  const live = liveImpersonations(tx);
  const supporter = sql`payload->'impersonation'->>'supporterId'`;
  if (changed === 'members') return live.where('project_id', '=', tx.scope.projectId);
  if ('userId' in changed) {
    const { userId } = changed;
    return live.where((eb) => eb.or([eb(sql`payload->>'accountId'`, '=', userId), eb(supporter, '=', userId)]));
  }
  const { applicationId, clientId } = changed;
  return live.where((eb) => eb.or([eb(sql`payload->>'clientId'`, '=', clientId), eb(supporter, '=', applicationId)]));
}

type Acting = { projectId: ProjectId; userId: UserId; impersonation: Impersonation };

/** Whether the person is an active member, and the supporter may still impersonate them. */
export async function mayGoOn(tx: TxCtx, { projectId, userId, impersonation }: Acting): Promise<boolean> {
  const { supporter, environment } = impersonation;
  const inside = at(tx, { projectId, environment });
  const may = await authorityNow(inside, supporter, 'member.impersonate');
  if (!may || (await accessOf(inside, userId)).status !== 'active') return false;
  return may.reaches(userId);
}

/** The impersonations and tickets in the workspace. Served by oidc_records_of_impersonation. */
function liveImpersonations(ctx: Ctx | TxCtx) {
  const { db, scope, now } = ctx;
  return db
    .selectFrom('oidc_records')
    .select([
      'workspace_id',
      'issuer',
      'id',
      sql<ProjectId>`project_id`.as('projectId'),
      sql<UserId>`payload->>'accountId'`.as('userId'),
      sql<Impersonation>`payload->'impersonation'`.as('impersonation'),
    ])
    .where('workspace_id', '=', sql<Place>`any(${placesOf(ctx)})`)
    .where('model', '=', 'Grant')
    .where(sql<boolean>`payload ? 'impersonation'`)
    .where(sql`payload->>'workspaceId'`, '=', scope.workspaceId)
    .where('expires_at', '>', now);
}

import { type RawBuilder, sql } from 'kysely';
import { guardingSecondFactors } from '#factors';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { customerOf } from '#platform/ctx.ts';
import type { ScopeEntryId, SessionId, UserId } from '#platform/ids.ts';
import { type Problem, problem } from '#platform/problem.ts';
import type { FreshProof } from '#platform/route.ts';
import { inRealm, inScope } from '#platform/scoped.ts';
import { networksOf } from '#platform/source.ts';
import type { Settings } from '#settings';
import type { SessionProof } from './sessions.ts';

/** Whether the user has signed in from the request's source within the last 90 days. Served by sessions_of_user. */
export async function isKnownSource(ctx: Ctx, userId: UserId): Promise<boolean> {
  if (ctx.trace.ip === null) return false;
  const since = new Date(ctx.now.getTime() - 90 * 86_400_000);
  const row = await ctx.db
    .selectFrom('sessions')
    .select('id')
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where(isFrom(ctx.trace.ip))
    .where('created_at', '>', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a session started from the same source as `ip`. */
function isFrom(ip: string | null): RawBuilder<boolean> {
  return ip === null ? sql`ip is null` : sql`ip <<= any(${networksOf(ip)}::inet[])`;
}

/** Whether a user's device, recognised by its browser and source, is the first one, a known one, or a new one. */
export async function familiarityOf(tx: TxCtx, userId: UserId): Promise<'first' | 'known' | 'new'> {
  const { ip, userAgent } = tx.trace;
  const rows = await tx.db
    .selectFrom('sessions')
    .select((eb) => [
      eb.fn.countAll<number>().as('all'),
      eb.fn.countAll<number>().filterWhere(isFrom(ip)).as('place'),
      eb.fn.countAll<number>().filterWhere('user_agent', 'is not distinct from', userAgent).as('browser'),
    ])
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('created_at', '>', new Date(tx.now.getTime() - 90 * 86_400_000))
    .executeTakeFirst();
  if (!rows || rows.all === 0) return 'first';
  return rows.place > 0 && rows.browser > 0 ? 'known' : 'new';
}

/** How recently a person must have authenticated before sensitive changes, in seconds (SE-4). */
const RECENT_SECONDS = 600;

/**
 * The problem for a session whose proof does not suffice. It names what would: a second factor (`acr`), or any proof,
 * within the last `maxAge` seconds (RFC 9470 §3).
 */
export function reauthenticationRequired({ acr, maxAge = RECENT_SECONDS }: { acr?: 'aal2'; maxAge?: number }): Problem {
  const extensions = { ...(acr && { acr }), maxAge };
  if (!acr) return problem('REAUTHENTICATION_REQUIRED', { extensions });
  return problem('REAUTHENTICATION_REQUIRED', {
    detail: 'Sign in again with a second factor.',
    extensions,
  });
}

/** When a session last proved who its user is. Served by the primary key. */
async function provenTimes(ctx: Ctx) {
  return ctx.db
    .selectFrom('sessions')
    .select(['auth_time as authTime', 'second_factor_at as secondFactorAt'])
    .where(inRealm(ctx))
    .where('id', '=', customerOf(ctx).sessionId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/**
 * Checks that the session's user authenticated within ten minutes: with any factor, or with a second one if they have
 * one, whatever the project requires at sign-in (NIST SP 800-63B-4 §4.1.2; ASVS 7.5.1). A remembered device is no
 * factor.
 * @throws Problem REAUTHENTICATION_REQUIRED with `maxAge`, and `acr` if it has to be a second factor
 */
export async function requireFreshProof(ctx: Ctx, proof: FreshProof): Promise<void> {
  const { userId } = customerOf(ctx);
  const times = await provenTimes(ctx);
  const since = ctx.now.getTime() - RECENT_SECONDS * 1000;
  const isFresh = (instant: Date | null | undefined) => instant != null && instant.getTime() >= since;
  if (isFresh(times?.secondFactorAt)) return;
  if (proof === 'second factor' && (await guardingSecondFactors(ctx, userId)).length > 0)
    throw reauthenticationRequired({ acr: 'aal2' });
  if (!isFresh(times?.authTime)) throw reauthenticationRequired({});
}

/**
 * A session's own live entry in `ctx.scope`'s project, not one that came through a grant. Served by
 * scope_entries_of_session.
 * @returns undefined when there is none
 */
export async function liveEntry(
  ctx: Pick<Ctx, 'db' | 'scope'>,
  sessionId: SessionId,
): Promise<ScopeEntryId | undefined> {
  const row = await ctx.db
    .selectFrom('scope_entries')
    .select('id')
    .where(inScope(ctx))
    .where('session_id', '=', sessionId)
    .where('grant_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
}

/** A live entry with what its session proved. */
export type ProvenEntry = SessionProof & {
  entryId: ScopeEntryId;
  userId: UserId;
  /** The `mfa` setting of the project when the entry was admitted; null if it was not recorded. */
  admittedUnder: Settings['mfa'] | null;
};

/**
 * {@link liveEntry} with what the session proved. Served by scope_entries_of_session and the primary key of sessions.
 */
export async function provenEntry(
  ctx: Pick<Ctx, 'db' | 'scope'>,
  sessionId: SessionId,
): Promise<ProvenEntry | undefined> {
  return ctx.db
    .selectFrom('scope_entries as e')
    .innerJoin('sessions as s', (join) =>
      join
        .onRef('s.workspace_id', '=', 'e.workspace_id')
        .onRef('s.environment', '=', 'e.environment')
        .onRef('s.id', '=', 'e.session_id'),
    )
    .select([
      'e.id as entryId',
      'e.admitted_under as admittedUnder',
      's.user_id as userId',
      's.amr',
      's.acr',
      's.auth_time as authTime',
      's.remembered_device as rememberedDevice',
    ])
    .where(inScope(ctx, 'e'))
    .where('e.session_id', '=', sessionId)
    .where('e.grant_id', 'is', null)
    .where('e.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** What a live session proved, whatever projects it is in. Served by the primary key. */
export function sessionProof(
  ctx: Pick<Ctx, 'db' | 'scope' | 'now'>,
  sessionId: SessionId,
): Promise<SessionProof | undefined> {
  return ctx.db
    .selectFrom('sessions')
    .select(['amr', 'acr', 'auth_time as authTime', 'remembered_device as rememberedDevice'])
    .where(inRealm(ctx))
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
}

/** A session as its owner sees it. */
export type SessionSummary = {
  id: SessionId;
  amr: string[];
  acr: string;
  authTime: string;
  createdAt: string;
  expiresAt: string;
};

/** One session of the realm. Served by the primary key. */
export async function findSession(
  ctx: Pick<TxCtx, 'scope'> & { db: Pick<TxCtx['db'], 'selectFrom'> },
  sessionId: SessionId,
): Promise<SessionSummary | undefined> {
  const row = await ctx.db
    .selectFrom('sessions')
    .select(['id', 'amr', 'acr', 'auth_time', 'created_at', 'expires_at'])
    .where(inRealm(ctx))
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      amr: row.amr,
      acr: row.acr,
      authTime: row.auth_time.toISOString(),
      createdAt: row.created_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
    }
  );
}

/** A live session in the list of its owner. */
export type ListedSession = SessionSummary & {
  current: boolean;
  ip: string | null;
  userAgent: string | null;
  lastSeenAt: string;
};

/** The filter of the list; `before` is the id of the last session that was read. */
type OwnSessions = { limit: number; before?: SessionId | undefined; only?: SessionId };

/** The live sessions of a user, newest first. Served by sessions_of_user. */
export async function listSessions(
  ctx: Ctx,
  userId: UserId,
  { limit, before, only }: OwnSessions,
): Promise<ListedSession[]> {
  let query = ctx.db
    .selectFrom('sessions')
    .select(['id', 'amr', 'acr', 'auth_time', 'created_at', 'expires_at', 'last_seen_at', 'ip', 'user_agent'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  if (only !== undefined) query = query.where('id', '=', only);
  const rows = await query.execute();
  const current = ctx.actor.kind === 'customer' ? ctx.actor.sessionId : null;
  return rows.map((row) => ({
    id: row.id,
    amr: row.amr,
    acr: row.acr,
    authTime: row.auth_time.toISOString(),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
    current: row.id === current,
  }));
}

/** A live session in a project, as its administrators see it. */
export type ProjectSession = Omit<ListedSession, 'current'> & { userId: UserId };

/** The filter of the list; `before` is the id of the last session that was read. */
type ProjectSessions = { limit: number; before: SessionId | null; userId?: UserId | undefined; only?: SessionId };

/** The live sessions in `ctx.scope`'s project, newest first. Served by scope_entries_of_project and primary keys. */
export async function sessionsOfProject(
  ctx: Ctx,
  { limit, before, userId, only }: ProjectSessions,
): Promise<ProjectSession[]> {
  let query = ctx.db
    .selectFrom('scope_entries as e')
    .innerJoin('sessions as s', (join) =>
      join
        .onRef('s.workspace_id', '=', 'e.workspace_id')
        .onRef('s.environment', '=', 'e.environment')
        .onRef('s.id', '=', 'e.session_id'),
    )
    // A session is listed once, however many grants led it into the project.
    .distinctOn('e.session_id')
    .selectAll('s')
    .where(inScope(ctx, 'e'))
    .where('e.revoked_at', 'is', null)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', ctx.now)
    .orderBy('e.session_id', 'desc')
    .limit(limit);
  if (before !== null) query = query.where('e.session_id', '<', before);
  if (userId !== undefined) query = query.where('e.user_id', '=', userId);
  if (only !== undefined) query = query.where('e.session_id', '=', only);
  const rows = await query.execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    amr: row.amr,
    acr: row.acr,
    authTime: row.auth_time.toISOString(),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
  }));
}

/** Every stored session of a user, including ended ones, newest first. Served by sessions_of_user. */
export async function sessionHistory(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId, limit: number) {
  const rows = await ctx.db
    .selectFrom('sessions')
    .selectAll()
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    amr: row.amr,
    acr: row.acr,
    ip: row.ip,
    userAgent: row.user_agent,
    authTime: row.auth_time.toISOString(),
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    revokeReason: row.revoke_reason,
  }));
}

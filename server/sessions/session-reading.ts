import { type RawBuilder, sql } from 'kysely';
import type { DeviceId } from '#devices';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { firstIdAt, type OrganizationId, type ScopeEntryId, type SessionId, type UserId } from '#platform/ids.ts';
import { inRealm, inScope } from '#platform/scoped.ts';
import { networksOf } from '#platform/source.ts';
import type { Settings } from '#settings';
import type { SessionProof } from './sessions.ts';

type Reader = Pick<Ctx, 'db' | 'scope' | 'now'> | Pick<TxCtx, 'db' | 'scope' | 'now'>;

const KNOWN_MS = 90 * 86_400_000;

/** The last address of a network, as an address. `<<=` finds the same rows, but reads all sessions of the user. */
const LAST_IN_RANGE = sql`set_masklen(broadcast(range), case family(range) when 4 then 32 else 128 end)`;

/**
 * Whether a user's sessions of the last 90 days began from the source and in the browser of the request; `first`: there
 * are none.
 */
export type Familiarity = { first: boolean; source: boolean; browser: boolean };

/** {@link Familiarity} of a user. */
export async function familiarityOf(
  ctx: Pick<Ctx, 'db' | 'scope' | 'now' | 'trace'> | Pick<TxCtx, 'db' | 'scope' | 'now' | 'trace'>,
  userId: UserId,
): Promise<Familiarity> {
  const { rows } = await sql<{ familiarity: Familiarity }>`
    select ${familiarityWith(ctx, sql`${userId}`)} as familiarity`.execute(ctx.db);
  const [row] = rows;
  if (!row) throw new Error('unreachable: the statement always returns a row');
  return row.familiarity;
}

/**
 * {@link Familiarity} of the user of a row, as a column of another part's statement. Each look-up reads one row, however
 * many sessions the user has. Served by sessions_of_user, sessions_of_source and sessions_of_browser.
 */
export function familiarityWith(
  { scope, now, trace }: Pick<Ctx, 'scope' | 'now' | 'trace'>,
  userId: RawBuilder<unknown>,
): RawBuilder<Familiarity> {
  const { ip, userAgent } = trace;
  const recent = sql`select from sessions where workspace_id = ${scope.workspaceId} and environment = ${scope.environment}
    and user_id = ${userId} and id >= ${firstIdAt('ses', new Date(now.getTime() - KNOWN_MS))}`;
  const ofSource =
    ip === null
      ? sql`exists (${recent} and ip is null)`
      : sql`exists (select from unnest(${networksOf(ip)}::inet[]) as source (range)
          cross join lateral (${recent} and ip between network(range)::inet and ${LAST_IN_RANGE} limit 1) as known)`;
  const ofBrowser = userAgent === null ? sql`user_agent is null` : sql`user_agent = ${userAgent}`;
  return sql<Familiarity>`json_build_object('first', not exists (${recent}), 'source', ${ofSource},
    'browser', exists (${recent} and ${ofBrowser}))`;
}

/** A scope entry of a live session, with the methods and the level that the session has proven. */
export type ProvenEntry = SessionProof & {
  entryId: ScopeEntryId;
  userId: UserId;
  organizationId: OrganizationId | null;
  /** The `mfa` setting of the project when the entry was admitted; null if it was not recorded. */
  admittedUnder: Settings['mfa'] | null;
  /** When its refresh token was issued, if one is presented. */
  refreshedAt?: Date;
};

/**
 * The live entry that a session has by itself in `ctx.scope`'s project: not through a grant, and in no organization.
 * Served by scope_entries_of_session and the primary key of sessions.
 * @returns undefined when there is none
 */
export async function findEntry(ctx: Reader, sessionId: SessionId): Promise<ProvenEntry | undefined> {
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
      'e.organization_id as organizationId',
      's.user_id as userId',
      's.amr',
      's.acr',
      's.auth_time as authTime',
      's.remembered_device as rememberedDevice',
      's.sign_in_methods as signInMethods',
    ])
    .where(inScope(ctx, 'e'))
    .where('e.session_id', '=', sessionId)
    .where('e.grant_id', 'is', null)
    .where('e.organization_id', 'is', null)
    .where('e.revoked_at', 'is', null)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', ctx.now)
    .executeTakeFirst();
}

type LiveSession = {
  userId: UserId;
  amr: string[];
  acr: string;
  authTime: Date;
  secondFactorAt: Date | null;
  rememberedDevice: DeviceId | null;
  signInMethods: string[];
  createdAt: Date;
  expiresAt: Date;
};

/** A live session of the realm, whatever projects it is in. Served by the primary key. */
export async function findSession(ctx: Reader, sessionId: SessionId): Promise<LiveSession | undefined> {
  return ctx.db
    .selectFrom('sessions')
    .select([
      'user_id as userId',
      'amr',
      'acr',
      'auth_time as authTime',
      'second_factor_at as secondFactorAt',
      'remembered_device as rememberedDevice',
      'sign_in_methods as signInMethods',
      'created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .where(inRealm(ctx))
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
}

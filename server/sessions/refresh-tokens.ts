import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Generated } from 'kysely';
import { claimsOfActions } from '#actions';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId, ProjectId, ScopeEntryId, SessionId, UserId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { prepared } from '#platform/prepared.ts';
import { problem } from '#platform/problem.ts';
import { nextRandom } from '#platform/randomness.ts';
import { realmColumns } from '#platform/scoped.ts';
import { preparedWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { REFRESH_GRACE_MS, sessionLifetimes } from '#settings';
import { isClosed, workspaceByRoutingKey } from '#tenancy';
import { revokeSessions } from './revocation.ts';
import type { ProvenEntry } from './session-reading.ts';
import {
  endOfNewSession,
  enterProject,
  type NewSession,
  noteAdmission,
  type ScopeEntry,
  startSession,
  tokenColumns,
} from './sessions.ts';

type RefreshTokensTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  hash: Buffer;
  entry_id: ScopeEntryId;
  session_id: SessionId;
  created_at: Date;
  expires_at: Date;
  used_at: Generated<Date | null>;
  successor: Generated<string | null>;
};

declare module '#platform/db.ts' {
  interface Tables {
    refresh_tokens: RefreshTokensTable;
  }
}

/** The last use of a session is recorded to the minute. */
const SEEN_MS = 60_000;

/** `lkr_`, the workspace's routing key, 256 random bits. */
const SHAPE = /^lkr_([a-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

type RefreshToken = { token: string; expiresAt: Date };

/** An entry with the refresh token that was issued for it, and what actions add to its access token. */
export type IssuedSession = {
  entry: ScopeEntry;
  refresh: RefreshToken;
  claims: Readonly<Record<string, unknown>>;
};

async function newToken(ctx: Pick<TxCtx, 'system' | 'scope' | 'now'>, sessionEnd: Date): Promise<RefreshToken> {
  const { routingKey, settings } = await projectOf(ctx.system, ctx.scope);
  const idle = ctx.now.getTime() + sessionLifetimes(settings).idle * 1000;
  return { token: `lkr_${routingKey}_${randomSecret()}`, expiresAt: new Date(Math.min(idle, sessionEnd.getTime())) };
}

type Claimed = Pick<ScopeEntry, 'userId' | 'organizationId'>;

function claimsOf(ctx: Ctx | TxCtx, { userId, organizationId }: Claimed): Promise<IssuedSession['claims']> {
  return claimsOfActions(ctx, { userId, organizationId, application: null });
}

/**
 * Issues the first refresh token of an entry. It is returned once and stored as a hash.
 * @throws Problem SERVICE_UNAVAILABLE if an action for its claims fails
 */
export async function issueRefreshToken(tx: TxCtx, entry: ScopeEntry): Promise<IssuedSession> {
  const claims = await claimsOf(tx, entry);
  const refresh = await newToken(tx, entry.expiresAt);
  const row = tokenColumns(tx, { ...entry, hash: hashSecret(refresh.token), expiresAt: refresh.expiresAt });
  await tx.db
    .insertInto('refresh_tokens')
    .values({ ...realmColumns(tx), ...row })
    .execute();
  return { entry, refresh, claims };
}

/**
 * Starts a session of an admitted user, in an organization of the project if one is given.
 * @returns the entry to go on with, and its first refresh token
 * @throws Problem SERVICE_UNAVAILABLE if an action for its claims fails
 */
export async function beginSession(
  tx: TxCtx,
  userId: UserId,
  { organizationId, ...how }: NewSession & { organizationId: OrganizationId | null },
): Promise<IssuedSession> {
  if (organizationId === null) {
    const claims = await claimsOf(tx, { userId, organizationId });
    const refresh = await newToken(tx, await endOfNewSession(tx));
    const { token, expiresAt } = refresh;
    return { entry: await startSession(tx, userId, how, { hash: hashSecret(token), expiresAt }), refresh, claims };
  }
  const { sessionId, projectId: fromProjectId } = await startSession(tx, userId, how);
  const entering = { sessionId, fromProjectId, organizationId, admit: async () => undefined };
  return issueRefreshToken(tx, await enterProject(tx, entering));
}

/** The row of a presented token, with the state of its entry and session. */
type Presented = {
  workspace_id: WorkspaceId;
  entry_id: ScopeEntryId;
  session_id: SessionId;
  project_id: ProjectId;
  organization_id: OrganizationId | null;
  version: number;
  user_id: UserId;
  admitted_under: ProvenEntry['admittedUnder'];
  remembered_device: ProvenEntry['rememberedDevice'];
  sign_in_methods: string[];
  created_at: Date;
  amr: string[];
  acr: string;
  auth_time: Date;
  session_expires_at: Date;
  expires_at: Date;
  used_at: Date | null;
  successor: string | null;
  dead: boolean;
  entry_revoke_reason: string | null;
};

/** A presented token that was found, with its scope. */
export type FoundRefreshToken = { scope: Ctx['scope']; token: string; row: Presented };

/**
 * Finds a refresh token in an environment. One read, served by the primary key.
 * @throws Problem AUTHENTICATION_REQUIRED when it is malformed or unknown
 */
export async function findRefreshToken(
  system: System,
  environment: Environment,
  token: string,
): Promise<FoundRefreshToken> {
  const routingKey = SHAPE.exec(token)?.[1];
  const workspaceId = routingKey && (await workspaceByRoutingKey(system, routingKey));
  if (!workspaceId) throw unknownToken();
  const { rows } = await findPresented(system, [workspaceId, environment, hashSecret(token)]);
  const row = rows[0];
  if (!row) throw unknownToken();
  const scope = { workspaceId: row.workspace_id, projectId: row.project_id, environment };
  return { scope, token, row: { ...row, dead: row.dead || (await isClosed(system, scope)) } };
}

function unknownToken() {
  return problem('AUTHENTICATION_REQUIRED', 'The refresh token is not valid. Sign in again.');
}

/**
 * Spends a refresh token for its successor. Every caller within the grace time gets the same successor; a later second
 * use means that the token was stolen, and ends the session (RFC 9700 §4.14.2; SE-6).
 * @param admit throws unless the entry may go on; then the token is not spent. Returns whether it was decided again
 * @throws Problem SESSION_EXPIRED, SESSION_REVOKED, and what `admit` throws
 */
export async function rotateRefreshToken(
  ctx: Ctx,
  found: FoundRefreshToken,
  admit: (entry: ProvenEntry) => Promise<boolean>,
): Promise<IssuedSession> {
  const { row } = found;
  if (row.dead) throw ended(row);
  if (row.expires_at <= ctx.now || row.session_expires_at <= ctx.now) throw problem('SESSION_EXPIRED');
  const entry = entryOf(row);
  if (row.used_at === null) {
    const proven = {
      ...entry,
      admittedUnder: row.admitted_under,
      rememberedDevice: row.remembered_device,
      signInMethods: row.sign_in_methods,
      refreshedAt: row.created_at,
    };
    if (await admit(proven)) await transaction(ctx, (tx) => noteAdmission(tx, entry.entryId));
    // Before the token is spent: it can be presented again if an action fails.
    const claims = await claimsOf(ctx, entry);
    const refresh = await spend(ctx, found);
    if (refresh) return { entry, refresh, claims };
  }
  const refresh = await repeatOrRevoke(ctx, found);
  return { entry, refresh, claims: await claimsOf(ctx, entry) };
}

/** Says why a session is no longer in its organization: it can go on without. */
function ended({ organization_id: organizationId, entry_revoke_reason: reason }: Presented) {
  if (organizationId === null || reason === null) return problem('SESSION_REVOKED');
  return problem('SESSION_REVOKED', { extensions: { organizationId, reason } });
}

function entryOf(row: Presented): ScopeEntry {
  return {
    entryId: row.entry_id,
    sessionId: row.session_id,
    userId: row.user_id,
    projectId: row.project_id,
    organizationId: row.organization_id,
    version: row.version,
    amr: row.amr,
    acr: row.acr,
    authTime: row.auth_time,
    expiresAt: row.session_expires_at,
  };
}

/**
 * Marks the token used and stores its successor in one conditional statement, so that exactly one concurrent caller
 * succeeds.
 * @returns undefined if another call was first
 */
async function spend(ctx: Ctx, { token, row }: FoundRefreshToken): Promise<RefreshToken | undefined> {
  const next = await newToken(ctx, row.session_expires_at);
  const { workspaceId, environment } = ctx.scope;
  const { now } = ctx;
  const seenBefore = new Date(now.getTime() - SEEN_MS);
  const { rowCount } = await replaceToken(ctx.system, [
    workspaceId,
    environment,
    hashSecret(token),
    now,
    sealSuccessor(token, next),
    seenBefore,
    hashSecret(next.token),
    next.expiresAt,
  ]);
  return rowCount === 1 ? next : undefined;
}

/**
 * Served by primary keys. `offset 0` keeps each look-up separate: if they were joined, a planner without statistics
 * would scan all entries and sessions of the workspace.
 */
const findPresented = prepared<Presented>(
  'find-refresh-token',
  `select t.workspace_id, t.entry_id, t.session_id, e.project_id, e.organization_id, e.version, s.user_id, s.amr, s.acr, s.auth_time,
          e.admitted_under, s.remembered_device, s.sign_in_methods, t.created_at,
          s.expires_at as session_expires_at, t.expires_at, t.used_at, t.successor,
          (s.revoked_at is not null or e.revoked_at is not null) as dead, e.revoke_reason as entry_revoke_reason
   from refresh_tokens t
   cross join lateral (select * from scope_entries where workspace_id = $1 and environment = $2 and id = t.entry_id offset 0) e
   cross join lateral (select * from sessions where workspace_id = $1 and environment = $2 and id = t.session_id offset 0) s
   where t.workspace_id = $1 and t.environment = $2 and t.hash = $3`,
);

/** Changes nothing and returns no row if the token is already used. */
const replaceToken = preparedWrite('replace-refresh-token', 'claim', {
  text: `with used as (
     update refresh_tokens set used_at = $4, successor = $5
     where workspace_id = $1 and environment = $2 and hash = $3 and used_at is null
     returning entry_id, session_id
   ), seen as (
     update sessions set last_seen_at = $4
     where workspace_id = $1 and environment = $2 and id = (select session_id from used) and last_seen_at < $6
   )
   insert into refresh_tokens (workspace_id, environment, hash, entry_id, session_id, created_at, expires_at)
   select $1, $2, $7, entry_id, session_id, $4, $8 from used`,
  divided: 'select * from replace_refresh_token($1, $2, $3, $4, $5, $6, $7, $8)',
});

async function repeatOrRevoke(ctx: Ctx, { token, row, scope }: FoundRefreshToken): Promise<RefreshToken> {
  // Read again, because a concurrent call may have spent the token after it was found.
  const { row: current } = row.used_at ? { row } : await findRefreshToken(ctx.system, scope.environment, token);
  if (current.used_at && current.successor && ctx.now.getTime() - current.used_at.getTime() <= REFRESH_GRACE_MS)
    return openSuccessor(token, current.successor);
  await transaction(ctx, async (tx) => {
    const ended = await revokeSessions(tx, row.user_id, { only: row.session_id }, 'refresh_token_reuse');
    if (ended > 0)
      await emit(tx, 'session.reuse_detected', {
        sessionId: row.session_id,
        userId: row.user_id,
        entryId: row.entry_id,
      });
  });
  throw problem(
    'SESSION_REVOKED',
    'This refresh token was already used. The session was ended because the token may have been stolen; sign in again.',
  );
}

function successorKey(token: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', token, '', 'latchkey refresh successor', 32)));
}

function sealSuccessor(token: string, next: RefreshToken): string {
  const iv = nextRandom(12);
  const cipher = createCipheriv('aes-256-gcm', successorKey(token), iv);
  const sealed = Buffer.concat([
    iv,
    cipher.update(JSON.stringify([next.token, next.expiresAt.getTime()]), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return sealed.toString('base64url');
}

function openSuccessor(token: string, sealed: string): RefreshToken {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', successorKey(token), bytes.subarray(0, 12)).setAuthTag(
    bytes.subarray(-16),
  );
  const [next, expires] = JSON.parse(
    decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'),
  );
  return { token: String(next), expiresAt: new Date(Number(expires)) };
}

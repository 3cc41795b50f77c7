import { type CommonTableExpressionOutput, type Generated, sql } from 'kysely';
import { revokeTokens } from '#access-tokens';
import type { DeviceId } from '#devices';
import { projectOf } from '#environments';
import { type EventCount, emit, emitAll } from '#events';
import { countryOf } from '#platform/countries.ts';
import { asCustomer, type Descent, type Environment, type TxCtx } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import {
  type ApplicationId,
  newId,
  type OrganizationId,
  type ProjectId,
  type ScopeEntryId,
  type SessionId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, inRealm, inScope, realmColumns, scopeColumns } from '#platform/scoped.ts';
import { type Settings, sessionLifetimes } from '#settings';
import { descentOf } from './descent.ts';
import { checkDescent } from './endings.ts';
import { provenMethods } from './proven-methods.ts';

type SessionsTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: SessionId;
  user_id: UserId;
  amr: string[];
  acr: string;
  auth_time: Date;
  second_factor_at: Date | null;
  /** The ways in which the person signed in, or authenticated again. */
  sign_in_methods: Generated<string[]>;
  remembered_device: DeviceId | null;
  ip: string | null;
  user_agent: string | null;
  /** Of the address, where it is known (ISO 3166-1 alpha-2). */
  country: Generated<string | null>;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  revoked_at: Generated<Date | null>;
  revoke_reason: Generated<string | null>;
};

type ScopeEntriesTable = {
  workspace_id: WorkspaceId;
  environment: Environment;
  id: ScopeEntryId;
  session_id: SessionId;
  project_id: ProjectId;
  user_id: UserId;
  admitted_under: Settings['mfa'] | null;
  created_at: Date;
  revoked_at: Generated<Date | null>;
  revoke_reason: Generated<string | null>;
  application_id: Generated<ApplicationId | null>;
  grant_id: Generated<string | null>;
  organization_id: Generated<OrganizationId | null>;
  version: Generated<number>;
};

declare module '#platform/db.ts' {
  interface Tables {
    sessions: SessionsTable;
    scope_entries: ScopeEntriesTable;
  }
}

/** What was proven when the session started, or later. */
export type SessionProof = {
  amr: string[];
  acr: string;
  authTime: Date;
  /** The remembered device that replaced the second factor, if any. */
  rememberedDevice: DeviceId | null;
  /** The ways in that were used. */
  signInMethods: readonly string[];
};

/** The part of a session that belongs to one project, or to one of its organizations; tokens are issued for it. */
export type ScopeEntry = Omit<SessionProof, 'rememberedDevice' | 'signInMethods'> & {
  entryId: ScopeEntryId;
  sessionId: SessionId;
  userId: UserId;
  projectId: ProjectId;
  organizationId: OrganizationId | null;
  /** Counts the renewals of its access tokens. */
  version: number;
  /** The absolute end of the session; activity does not extend it. */
  expiresAt: Date;
};

/** Stands where no other statement is given. It has one row. */
const NOTHING = sql<object>`(select)`;
/** The number of rows of the other statement. */
const ALSO = sql<number>`(select count(*) from also)`.as('also');

export type NewSession = Omit<SessionProof, 'authTime'> & {
  also?: CommonTableExpressionOutput<Tables, 'also'>;
  /** What the sign-in is counted as besides. */
  counts?: readonly EventCount[];
};

/** The absolute end of a session that starts now. */
export async function endOfNewSession(tx: TxCtx): Promise<Date> {
  const { settings } = await projectOf(tx.system, tx.scope);
  return new Date(tx.now.getTime() + sessionLifetimes(settings).absolute * 1000);
}

/**
 * Starts a session with an entry in `tx.scope`'s project, for a user who was admitted to it. Writes them, and the first
 * refresh token if it is given, in one statement.
 * @param how `amr` as RFC 8176 names the methods, `acr` the level reached; `also`: what the same statement writes
 * @throws Problem MEMBERSHIP_REQUIRED if `also` has no row: the membership ended after the user was admitted
 */
export async function startSession(
  tx: TxCtx,
  userId: UserId,
  { rememberedDevice, signInMethods, also = NOTHING, counts = [], ...how }: NewSession,
  refresh?: { hash: Buffer; expiresAt: Date },
): Promise<ScopeEntry> {
  const { projectId } = tx.scope;
  const { settings } = await projectOf(tx.system, tx.scope);
  const sessionId = newId('ses', tx.now);
  const country = countryOf(tx);
  const expiresAt = await endOfNewSession(tx);
  const session = {
    ...realmColumns(tx),
    id: sessionId,
    user_id: userId,
    ...how,
    auth_time: tx.now,
    second_factor_at: how.acr === 'aal1' ? null : tx.now,
    remembered_device: rememberedDevice,
    sign_in_methods: [...signInMethods],
    ip: tx.trace.ip,
    user_agent: tx.trace.userAgent,
    country,
    created_at: tx.now,
    last_seen_at: tx.now,
    expires_at: expiresAt,
  };
  const organizationId = null;
  const entry = entryRow(tx, { sessionId, userId, organizationId, descent: null, admittedUnder: settings.mfa });
  const withSession = tx.db
    .with('also', () => also)
    .with('session', (db) => db.insertInto('sessions').values(session).returning('id'));
  const withEntry = withSession.with('entry', (db) => db.insertInto('scope_entries').values(entry).returning('id'));
  const withAll = refresh
    ? withEntry.with('token', (db) =>
        db
          .insertInto('refresh_tokens')
          .values({ ...realmColumns(tx), ...tokenColumns(tx, { entryId: entry.id, sessionId, ...refresh }) })
          .returning('hash'),
      )
    : withEntry;
  // Citus takes no other statement in what an INSERT returns.
  const { also: others } = await withAll.selectNoFrom(ALSO).executeTakeFirstOrThrow();
  if (others === 0) throw problem('MEMBERSHIP_REQUIRED');
  const { id: entryId } = entry;
  await emitAll(asCustomer(tx, { userId, sessionId, entryId }), [
    { type: 'session.created', data: { sessionId, userId } },
    {
      type: 'user.login',
      data: { sessionId, userId, amr: how.amr, ...(tx.applicationId && { applicationId: tx.applicationId }) },
      counts: [{ figure: 'sign_ins_by_country', key: country ?? 'unknown' }, ...counts],
    },
  ]);
  return { entryId, sessionId, userId, projectId, organizationId, version: 0, ...how, authTime: tx.now, expiresAt };
}

type NewToken = { entryId: ScopeEntryId; sessionId: SessionId; hash: Buffer; expiresAt: Date };

/** A refresh token as it is stored, without its realm. */
export function tokenColumns({ now }: Pick<TxCtx, 'now'>, { entryId, sessionId, hash, expiresAt }: NewToken) {
  return { hash, entry_id: entryId, session_id: sessionId, created_at: now, expires_at: expiresAt };
}

type NewEntry = {
  sessionId: SessionId;
  userId: UserId;
  organizationId: OrganizationId | null;
  descent: Descent | null;
  admittedUnder: Settings['mfa'] | null;
};

function entryRow(tx: TxCtx, { sessionId, userId, organizationId, descent, admittedUnder }: NewEntry) {
  return {
    ...scopeColumns(tx),
    id: newId('ent', tx.now),
    session_id: sessionId,
    user_id: userId,
    organization_id: organizationId,
    application_id: descent?.applicationId ?? null,
    grant_id: descent?.grantId ?? null,
    admitted_under: admittedUnder,
    created_at: tx.now,
  };
}

async function insertEntry(tx: TxCtx, entry: NewEntry): Promise<ScopeEntryId> {
  const row = entryRow(tx, entry);
  await tx.db.insertInto('scope_entries').values(row).execute();
  if (entry.descent) await checkDescent(tx, { ...entry.descent, sessionId: entry.sessionId });
  return row.id;
}

type EnteringSession = {
  sessionId: SessionId;
  fromProjectId: ProjectId;
  /** The organization of the project to enter; null for the project alone. */
  organizationId: OrganizationId | null;
  /** Throws unless the user may enter the project with this proof. */
  admit: (proof: SessionProof) => Promise<void>;
};

/**
 * Takes a session into `tx.scope`'s project, or into one of its organizations: returns its live entry there, or adds
 * one. Level and authentication time do not change. Entries in organizations, and those obtained through a grant, are
 * separate: each ends with its organization or grant.
 * @throws Problem SESSION_REVOKED, SESSION_EXPIRED, and what `admit` throws
 */
export async function enterProject(
  tx: TxCtx,
  { sessionId, fromProjectId, organizationId, admit }: EnteringSession,
): Promise<ScopeEntry> {
  const session = await lockSession(tx, sessionId);
  await admit(session);
  const descent = await descentOf(tx);
  const { settings } = await projectOf(tx.system, tx.scope);
  const existing = await tx.db
    .selectFrom('scope_entries')
    .select(['id', 'version'])
    .where(inScope(tx))
    .where('session_id', '=', sessionId)
    .where('grant_id', 'is not distinct from', descent?.grantId ?? null)
    .where('organization_id', 'is not distinct from', organizationId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  const entryId =
    existing?.id ?? (await insertEntry(tx, { ...session, organizationId, descent, admittedUnder: settings.mfa }));
  if (existing) await noteAdmission(tx, entryId);
  const { userId } = session;
  await emit(tx, 'session.context_switched', {
    sessionId,
    userId,
    entryId,
    fromProjectId,
    ...(organizationId && { organizationId }),
  });
  return { ...session, entryId, organizationId, version: existing?.version ?? 0, projectId: tx.scope.projectId };
}

/**
 * Records that an entry was admitted under the current policy: it is decided again only when the policy becomes
 * stricter.
 */
export async function noteAdmission(tx: TxCtx, entryId: ScopeEntryId): Promise<void> {
  const { settings } = await projectOf(tx.system, tx.scope);
  await tx.db
    .updateTable('scope_entries')
    .set({ admitted_under: settings.mfa })
    .where(acrossProjects(tx))
    .where('id', '=', entryId)
    .where('admitted_under', 'is distinct from', settings.mfa)
    .execute();
}

/** A new proof of a session's user: the methods, as RFC 8176 names them, and whether they are a second factor. */
type NewProof = { methods: readonly string[]; secondFactor: boolean };

/**
 * Methods add up. A session starts with a first factor, so a second one makes it `aal2`; nothing lowers the level. `mfa`
 * says that the factors are of two kinds (RFC 8176 §2).
 */
function raised({ amr, acr }: { amr: readonly string[]; acr: string }, { methods, secondFactor }: NewProof) {
  if (!secondFactor) return { amr: [...new Set([...amr, ...methods])], acr };
  return { amr: [...new Set([...amr, ...methods, 'mfa'])], acr: acr === 'aal1' ? 'aal2' : acr };
}

/**
 * Raises the level of a session after a new proof of its user. The actor's entry in `tx.scope`'s project, with all its
 * tokens, is replaced by a new one of the same descent and organization (ASVS 7.2.4; SE-1), which has no more rights
 * than the old one.
 * @throws Problem SESSION_REVOKED, SESSION_EXPIRED
 */
export async function raiseSession(tx: TxCtx, sessionId: SessionId, proof: NewProof): Promise<ScopeEntry> {
  const session = await lockSession(tx, sessionId);
  const descent = await descentOf(tx);
  const { userId } = session;
  const level = raised(session, proof);
  const { projectId } = tx.scope;
  const organizationId = (tx.actor.kind === 'customer' && tx.actor.organizationId) || null;
  await tx.db
    .updateTable('sessions')
    .set({
      ...level,
      auth_time: tx.now,
      last_seen_at: tx.now,
      sign_in_methods: [...new Set([...session.signInMethods, ...provenMethods(proof.methods, proof)])],
      ...(proof.secondFactor && { second_factor_at: tx.now }),
    })
    .where(inRealm(tx))
    .where('id', '=', sessionId)
    .execute();
  const ended = await tx.db
    .updateTable('scope_entries')
    .set({ revoked_at: tx.now, revoke_reason: 'reauthenticated' })
    .where(acrossProjects(tx))
    .where('session_id', '=', sessionId)
    .where('project_id', '=', projectId)
    .where('grant_id', 'is not distinct from', descent?.grantId ?? null)
    .where('organization_id', 'is not distinct from', organizationId)
    .where('revoked_at', 'is', null)
    .returning(['id', 'admitted_under'])
    .execute();
  await revokeTokens(
    tx,
    ended.map(({ id }) => id),
  );
  const admittedUnder = ended[0]?.admitted_under ?? null;
  const entryId = await insertEntry(tx, { sessionId, userId, organizationId, descent, admittedUnder });
  await emit(tx, 'session.reauthenticated', { sessionId, userId, ...level });
  return { ...session, ...level, authTime: tx.now, entryId, organizationId, version: 0, projectId };
}

/**
 * Records that a session just proved a second factor that its user set up in it. Its tokens stay valid and carry the
 * new level from the next refresh on.
 */
export async function secondFactorProven(tx: TxCtx, sessionId: SessionId, methods: readonly string[]): Promise<void> {
  const session = await lockSession(tx, sessionId);
  await tx.db
    .updateTable('sessions')
    .set({ ...raised(session, { methods, secondFactor: true }), second_factor_at: tx.now })
    .where(inRealm(tx))
    .where('id', '=', sessionId)
    .execute();
}

/**
 * Serialises changes of one session, which must be live.
 * @throws Problem SESSION_REVOKED, SESSION_EXPIRED
 */
export async function lockSession(tx: TxCtx, sessionId: SessionId) {
  const row = await tx.db
    .selectFrom('sessions')
    .select(['user_id', 'amr', 'acr', 'auth_time', 'remembered_device', 'sign_in_methods', 'expires_at', 'revoked_at'])
    .where(inRealm(tx))
    .where('id', '=', sessionId)
    .forUpdate()
    .executeTakeFirst();
  if (!row || row.revoked_at) throw problem('SESSION_REVOKED');
  if (row.expires_at <= tx.now) throw problem('SESSION_EXPIRED');
  return {
    sessionId,
    userId: row.user_id,
    amr: row.amr,
    acr: row.acr,
    authTime: row.auth_time,
    rememberedDevice: row.remembered_device,
    signInMethods: row.sign_in_methods,
    expiresAt: row.expires_at,
  };
}

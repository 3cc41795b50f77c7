import { sql } from 'kysely';
import { mustBeLookedAtAgain } from '#admission';
import { projectOf } from '#environments';
import { endActingElsewhere } from '#oidc';
import { cookieName } from '#platform/cookies.ts';
import type { CustomerActor, TxCtx } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import type { SessionId, UserId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import type { EndedSessions } from '#platform/part.ts';
import { prepared } from '#platform/prepared.ts';
import { preparedWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import type { ProvenEntry } from '#sessions';
import type { Settings } from '#settings';
import { installationOf } from './installation.ts';
import type { TeamRole } from './team-roles.ts';

type ConsoleSessionsTable = {
  workspace_id: WorkspaceId;
  hash: Buffer;
  user_id: UserId;
  session_id: SessionId;
  auth_time: Date;
  acr: string | null;
  admitted_under: Settings['mfa'] | null;
  on_device: boolean | null;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    console_sessions: ConsoleSessionsTable;
  }
}

/** NIST SP 800-63B-4 §2.2.3: an authenticated session of AAL2 lasts 12 hours at most. */
export const ABSOLUTE_SECONDS = 12 * 3_600;
/** Ends a session after this long without activity (ASVS 7.3.1). */
const IDLE_SECONDS = 2 * 3_600;
/** The last use is recorded at most this often. */
const SEEN_MS = 60_000;

/** An operator's session at the console, with their role in the workspace a request names and in the built-in one. */
export type OperatorSession = {
  hash: Buffer;
  userId: UserId;
  sessionId: SessionId;
  authTime: Date;
  expiresAt: Date;
  role: TeamRole | null;
  installationRole: TeamRole | null;
};

/** The cookie of an operator's session. The console has no environment, so its name has none. */
export function operatorCookie({ config }: System): string {
  return cookieName({ url: config.addresses.console }, 'console');
}

/**
 * Starts a session.
 * @returns the secret for its cookie; only its hash is stored
 */
export async function startOperatorSession(
  tx: TxCtx,
  { operator, authTime, proof }: { operator: CustomerActor; authTime: Date; proof: ProvenEntry },
): Promise<string> {
  const secret = randomSecret();
  const { scope } = installationOf(tx.system);
  const { settings } = await projectOf(tx.system, scope);
  await tx.db
    .insertInto('console_sessions')
    .values({
      workspace_id: scope.workspaceId,
      hash: hashSecret(secret),
      user_id: operator.userId,
      session_id: operator.sessionId,
      auth_time: authTime,
      acr: proof.acr,
      admitted_under: settings.mfa,
      on_device: proof.rememberedDevice !== null,
      created_at: tx.now,
      last_seen_at: tx.now,
      expires_at: new Date(tx.now.getTime() + ABSOLUTE_SECONDS * 1000),
    })
    .execute();
  return secret;
}

type Row = {
  user_id: UserId;
  session_id: SessionId;
  auth_time: Date;
  acr: string | null;
  admitted_under: Settings['mfa'] | null;
  on_device: boolean | null;
  last_seen_at: Date;
  expires_at: Date;
  role: TeamRole | null;
  installation_role: TeamRole | null;
};

/**
 * One statement for everything a request needs, so a change of the team is effective on the next one. Served by primary
 * keys and team_members_of_user.
 */
const find = prepared<Row>(
  'operator-session',
  `select s.user_id, s.session_id, s.auth_time, s.acr, s.admitted_under, s.on_device, s.last_seen_at, s.expires_at, member.role, runs.role as installation_role
   from console_sessions s
   left join team_members member on member.workspace_id = $3 and member.user_id = s.user_id
   left join team_members runs on runs.workspace_id = s.workspace_id and runs.user_id = s.user_id
   where s.workspace_id = $1 and s.hash = $2`,
);

const seen = preparedWrite(
  'operator-seen',
  'count',
  'update console_sessions set last_seen_at = $3 where workspace_id = $1 and hash = $2',
);

/**
 * The live session of a request.
 * @param workspaceId the workspace it names, if any
 * @returns `expired` if the session has ended, or the policy of the built-in project is stricter than when it began
 */
export async function findOperatorSession(
  { system, cookies }: { system: System; cookies: Request['cookies'] },
  workspaceId: WorkspaceId | null,
): Promise<OperatorSession | 'none' | 'expired'> {
  const secret = cookies[operatorCookie(system)];
  if (secret === undefined) return 'none';
  const hash = hashSecret(secret);
  const { scope } = installationOf(system);
  const {
    rows: [row],
  } = await find(system, [scope.workspaceId, hash, workspaceId]);
  if (!row) return 'none';
  const now = system.clock.now();
  const idle = now.getTime() - row.last_seen_at.getTime();
  if (row.expires_at <= now || idle >= IDLE_SECONDS * 1000) return 'expired';
  const { settings } = await projectOf(system, scope);
  const { acr, admitted_under: under, on_device: onDevice } = row;
  if (mustBeLookedAtAgain(settings, { acr: acr ?? 'aal1', under, remembered: onDevice ?? false })) return 'expired';
  if (idle >= SEEN_MS) await seen(system, [scope.workspaceId, hash, now]);
  return {
    hash,
    userId: row.user_id,
    sessionId: row.session_id,
    authTime: row.auth_time,
    expiresAt: row.expires_at,
    role: row.role,
    installationRole: row.installation_role,
  };
}

/** The token a page sends with every change; only a page of the console can have read it. */
export function csrfTokenOf(system: System, { hash }: Pick<OperatorSession, 'hash'>): string {
  return system.keyring.tag(hash.toString('base64'), 'console-csrf').toString('base64url');
}

export function checkCsrfToken(system: System, { hash }: Pick<OperatorSession, 'hash'>, token: string): boolean {
  return system.keyring.checkTag(hash.toString('base64'), 'console-csrf', Buffer.from(token, 'base64url'));
}

/**
 * Ends the console's sessions with their session at the auth host, for any reason, and what operators do with it in the
 * name of people of other workspaces.
 */
export async function endWithAuthSessions(tx: TxCtx, { sessionIds }: EndedSessions): Promise<void> {
  const { workspaceId, environment } = installationOf(tx.system).scope;
  if (tx.scope.workspaceId !== workspaceId || tx.scope.environment !== environment) return;
  await tx.db
    .deleteFrom('console_sessions')
    .where('workspace_id', '=', workspaceId)
    .where('session_id', 'in', [...sessionIds])
    .execute();
  await endActingElsewhere(tx, sessionIds);
}

/** Ends one session, for example when a new sign-in replaces it. */
export async function endOperatorSession(tx: TxCtx, secret: string): Promise<void> {
  await tx.db
    .deleteFrom('console_sessions')
    .where('workspace_id', '=', installationOf(tx.system).scope.workspaceId)
    .where('hash', '=', hashSecret(secret))
    .execute();
}

/** Removes expired sessions. */
export async function removeDeadOperatorSessions(system: System): Promise<void> {
  await forget(system, [system.clock.now()]);
}

const forget = preparedWrite(
  'dead-operator-sessions',
  'clean-up',
  'delete from console_sessions where expires_at < $1 /* all workspaces */',
);

/** Ends the console session of every operator. */
export async function endEveryOperatorSession(tx: TxCtx): Promise<void> {
  await sql`delete from console_sessions /* all workspaces */`.execute(tx.db);
}

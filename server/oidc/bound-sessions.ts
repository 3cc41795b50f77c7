import { sql } from 'kysely';
import type { Provider } from 'oidc-provider';
import type { TxCtx } from '#platform/ctx.ts';
import type { OrganizationId, ProjectId, SessionId, WorkspaceId } from '#platform/ids.ts';
import type { Settings } from '#settings';
import { endGrants, type GrantRef, holdGrant } from './grant-endings.ts';
import { endImpersonations, type Impersonation } from './impersonation.ts';
import { type Ended, tellOfLogout } from './logout.ts';
import { changeGrantsIn } from './organizations.ts';
import { type Place, placesOf } from './routed-ids.ts';

/** The Latchkey session behind a record of the provider. */
export type Bound = {
  sessionId?: SessionId;
  /** The expiry of the session, in seconds since the epoch. */
  endsAt?: number;
  workspaceId?: WorkspaceId;
  /** The project of a grant; for a browser's session, the project in which it started. */
  projectId?: ProjectId;
  /** For a grant: the organization that it is in. */
  organizationId?: OrganizationId;
  /** For a grant: JWT access tokens issued before this time are invalid; seconds since the epoch. */
  tokensFrom?: number;
  /** For a grant: the `mfa` setting of its project when the user was admitted. */
  admittedUnder?: Settings['mfa'];
  /** For a grant: whether a remembered device replaced the second factor. */
  onDevice?: boolean;
  /** For a grant: the person who acts as its user, in a session of their own if any, and the reason. */
  impersonation?: Impersonation;
};

declare module 'oidc-provider' {
  interface Session extends Bound {}
  interface Grant extends Bound {}
  interface AdapterPayload extends Bound {}
}

const FIELDS = [
  'sessionId',
  'endsAt',
  'workspaceId',
  'projectId',
  'organizationId',
  'tokensFrom',
  'admittedUnder',
  'onDevice',
  'impersonation',
] as const;

/** Makes the provider store the Latchkey session with its sessions and grants. */
export function bindToSessions({ Session, Grant }: Provider): void {
  for (const model of [Session, Grant]) {
    const own = model.IN_PAYLOAD;
    Object.defineProperty(model, 'IN_PAYLOAD', { get: () => [...own, ...FIELDS] });
  }
}

/**
 * Ends everything the provider made from a session when it ends: the browser's cookie, grants, codes and tokens. Clients
 * with a back-channel address are notified, with retries (OpenID Connect Back-Channel Logout 1.0 §2.5; OA-11). When all
 * sessions of a user end, impersonations of the user end, too. Grants in an organization end with the membership. A new
 * entry of a session requires that the grant through which it is obtained is valid.
 */
export const sessionSteps = {
  ended: endBound,
  userEnded: endImpersonations,
  inOrganization: changeGrantsIn,
  obtaining: holdGrant,
};

/**
 * Replaces a session by a new one of the same user and keeps what depends on it. The policy under which the old one was
 * admitted is dropped, because the new one may have proven less.
 */
export async function rebind(tx: TxCtx, from: SessionId, to: { sessionId: SessionId; expiresAt: Date }): Promise<void> {
  const bound = JSON.stringify({ sessionId: to.sessionId, endsAt: Math.floor(to.expiresAt.getTime() / 1000) });
  await sql`update oidc_records set session_id = ${to.sessionId}, payload = payload - 'admittedUnder' - 'onDevice' || ${bound}::jsonb
    where workspace_id = any(${placesOf(tx)}) and session_id = ${from}`.execute(tx.db);
}

type BoundRecord = {
  workspace_id: Place;
  issuer: string;
  model: string;
  id: string;
  payload: { accountId?: string; clientId?: string; authorizations?: Record<string, { sid?: string }> };
};

type EndedSessions = { sessionIds: readonly SessionId[]; in: ProjectId | 'every project' };

async function endBound(tx: TxCtx, ended: EndedSessions): Promise<void> {
  // An operator who may no longer use the console's project acts in no other either.
  const inProject =
    ended.in === 'every project'
      ? sql`true`
      : sql`(project_id = ${ended.in} or payload->'impersonation'->'supporter'->>'kind' = 'operator')`;
  const { rows } = await sql<BoundRecord>`
    select workspace_id, issuer, model, id, payload from oidc_records
    where workspace_id = any(${placesOf(tx)}) and session_id = any(${[...ended.sessionIds]}) and (model = 'Session' or ${inProject})`.execute(
    tx.db,
  );
  if (rows.length === 0) return;
  const grants = rows.filter(({ model }) => model === 'Grant');
  const sessions = rows.filter(({ model }) => model === 'Session');
  await tellOfLogout(tx, endedFor(tx, sessions, new Set(grants.map(({ payload }) => payload.clientId ?? ''))));
  const gone = ended.in === 'every project' ? rows.filter(({ model }) => model !== 'Grant') : [];
  if (gone.length > 0)
    await sql`delete from oidc_records where workspace_id = any(${placesOf(tx)}) and (issuer, model, id) in (
      select * from unnest(${gone.map(({ issuer }) => issuer)}::text[], ${gone.map(({ model }) => model)}::text[], ${gone.map(({ id }) => id)}::text[]))`.execute(
      tx.db,
    );
  await endGrants(tx, grants, 'session_ended');
}

/**
 * Ends the impersonations that operators began in other workspaces than that of their session. It looks in all workspaces,
 * which is rare: few sessions are an operator's. Served by oidc_records_of_session.
 */
export async function endActingElsewhere(tx: TxCtx, sessionIds: readonly SessionId[]): Promise<void> {
  const { rows } = await sql<GrantRef>`
    select workspace_id, issuer, id from oidc_records
    where session_id = any(${[...sessionIds]}) and model = 'Grant' and payload ? 'impersonation' /* all workspaces */`.execute(
    tx.db,
  );
  await endGrants(tx, rows, 'session_ended');
}

/** The logout notification for each client that used a session. */
function endedFor({ scope: { environment } }: TxCtx, sessions: BoundRecord[], clientIds: ReadonlySet<string>): Ended[] {
  return sessions.flatMap(({ issuer, payload: { accountId: subject, authorizations = {} } }) =>
    Object.entries(authorizations).flatMap(([clientId, { sid }]) =>
      sid === undefined || subject === undefined || !clientIds.has(clientId)
        ? []
        : [{ environment, issuer, clientId, subject, sid }],
    ),
  );
}

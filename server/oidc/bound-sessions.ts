import { sql } from 'kysely';
import type { Provider } from 'oidc-provider';
import type { TxCtx } from '#platform/ctx.ts';
import type { ProjectId, SessionId, WorkspaceId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { type EndedSessions, whenSessionsEnd } from '#sessions';
import type { Settings } from '#settings';
import { endGrants, guardDescent } from './grant-endings.ts';
import { type Ended, tellOfLogout } from './logout.ts';

/** The Latchkey session that stands behind what the provider keeps. */
export type Bound = {
  sessionId?: SessionId;
  /** The end of the session, in seconds since the epoch. */
  endsAt?: number;
  workspaceId?: WorkspaceId;
  /** The project a grant is for; of a browser's session, that in which it began. */
  projectId?: ProjectId;
  /** Of a grant: the `mfa` setting of its project when the person was admitted. */
  admittedUnder?: Settings['mfa'];
  /** Of a grant: whether a remembered device stood for the second factor. */
  onDevice?: boolean;
};

declare module 'oidc-provider' {
  interface Session extends Bound {}
  interface Grant extends Bound {}
  interface AdapterPayload extends Bound {}
}

const FIELDS = ['sessionId', 'endsAt', 'workspaceId', 'projectId', 'admittedUnder', 'onDevice'] as const;

/** Makes the provider keep, with its sessions and grants, which session of ours they were made from. */
export function bindToSessions({ Session, Grant }: Provider): void {
  for (const model of [Session, Grant]) {
    const own = model.IN_PAYLOAD;
    Object.defineProperty(model, 'IN_PAYLOAD', { get: () => [...own, ...FIELDS] });
  }
}

/**
 * A session that ends takes along what the provider made of it: the browser's cookie, grants, codes and tokens. Clients that
 * want to hear of it are told, in time and again until they answer (OpenID Connect Back-Channel Logout 1.0 §2.5; OA-11).
 */
export function endProviderSessions(system: System): void {
  whenSessionsEnd(system, endBound);
  guardDescent(system);
}

/**
 * Puts a new session of the same person in the place of another; what hangs on it stays. Under what the other one was admitted
 * does not: the new one may have shown less.
 */
export async function rebind(tx: TxCtx, from: SessionId, to: { sessionId: SessionId; expiresAt: Date }): Promise<void> {
  const bound = JSON.stringify({ sessionId: to.sessionId, endsAt: Math.floor(to.expiresAt.getTime() / 1000) });
  await sql`update oidc_records set session_id = ${to.sessionId}, payload = payload - 'admittedUnder' - 'onDevice' || ${bound}::jsonb
    where session_id = ${from}`.execute(tx.db);
}

type BoundRecord = {
  issuer: string;
  model: string;
  id: string;
  payload: { accountId?: string; clientId?: string; authorizations?: Record<string, { sid?: string }> };
};

async function endBound(tx: TxCtx, ended: EndedSessions): Promise<void> {
  const inProject = ended.in === 'every project' ? sql`true` : sql`project_id = ${ended.in}`;
  const { rows } = await sql<BoundRecord>`
    select issuer, model, id, payload from oidc_records
    where session_id = any(${[...ended.sessionIds]}) and (model = 'Session' or ${inProject})`.execute(tx.db);
  if (rows.length === 0) return;
  const grants = rows.filter(({ model }) => model === 'Grant');
  const sessions = rows.filter(({ model }) => model === 'Session');
  await tellOfLogout(tx, endedFor(tx, sessions, new Set(grants.map(({ payload }) => payload.clientId ?? ''))));
  const gone = ended.in === 'every project' ? rows.filter(({ model }) => model !== 'Grant') : [];
  if (gone.length > 0)
    await sql`delete from oidc_records where (issuer, model, id) in (
      select * from unnest(${gone.map(({ issuer }) => issuer)}::text[], ${gone.map(({ model }) => model)}::text[], ${gone.map(({ id }) => id)}::text[]))`.execute(
      tx.db,
    );
  await endGrants(tx, grants, 'session_ended');
}

/** Of each client that had a part of a session, what it is to be told. */
function endedFor({ scope: { environment } }: TxCtx, sessions: BoundRecord[], clientIds: ReadonlySet<string>): Ended[] {
  return sessions.flatMap(({ issuer, payload: { accountId: subject, authorizations = {} } }) =>
    Object.entries(authorizations).flatMap(([clientId, { sid }]) =>
      sid === undefined || subject === undefined || !clientIds.has(clientId)
        ? []
        : [{ environment, issuer, clientId, subject, sid }],
    ),
  );
}

import { type Static, Type } from 'typebox';
import {
  type ConnectionId,
  callbackPath,
  enabledConnection,
  holdConnection,
  type UsableConnection,
} from '#connections';
import { Binding, issueExchangeCode } from '#exchange';
import { findLinkedUser } from '#linked-identities';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { keepLogin } from '#single-logout';
import { ConnectedPerson, personOf } from './connected-people.ts';
import { type Asserted, CONNECTION_FLOWS } from './connection-kinds.ts';
import { type Away, type Party, spendFlow, staleFlow } from './upstream-flows.ts';

const CODE_SECONDS = 60;

/** The content of an exchange code for a sign-in through a connection. */
export const ConnectionResult = Type.Object({
  connectionId: IdSchema('con'),
  /** Who vouched for the person. */
  issuer: Type.String(),
  person: ConnectedPerson,
  binding: Binding,
  /** The session at the identity provider. */
  samlLogin: Type.Optional(IdSchema('sli')),
});
type ConnectionResult = Static<typeof ConnectionResult>;

/** The identity provider of an organization. */
export function connectionParty(ctx: Ctx, connection: UsableConnection): Party {
  const { id, name, kind } = connection;
  const addressFor: Party['addressFor'] = (request) => CONNECTION_FLOWS[kind].start(ctx, connection, request);
  return { id, name, callbackPath: callbackPath(id), addressFor };
}

export type CameBack = { ctx: Ctx; away: Away; message: string | null };

/**
 * Spends the stored flow of a browser that returns, from the connection that it was sent to.
 * @throws Problem INVALID_TOKEN
 */
export async function comeBackThrough(
  realm: Ctx,
  { connectionId, ...shown }: { connectionId: ConnectionId; state: string; browser: string | undefined },
): Promise<CameBack> {
  const { partyId, ...back } = await spendFlow(realm, shown);
  if (partyId !== connectionId) throw staleFlow();
  return back;
}

/** @returns null for a connection that was disabled or removed in the meantime */
export async function stillEnabled(ctx: Ctx, id: ConnectionId): Promise<UsableConnection | null> {
  return enabledConnection(ctx, id).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return null;
    throw error;
  });
}

/** What the identity provider says about the person. */
export function assertedBy(
  { ctx, away, message }: CameBack,
  connection: UsableConnection,
  returned: URL,
): Promise<Asserted> {
  const request = { ...away, challenge: '', loginHint: null };
  return CONNECTION_FLOWS[connection.kind].finish(ctx, connection, { request, returned, message });
}

/** Reads what the identity provider says about the person, and issues the code that the application exchanges. */
export async function finishThrough(back: CameBack, connection: UsableConnection, returned: URL): Promise<string> {
  const { ctx, away } = back;
  const asserted = await assertedBy(back, connection, returned);
  const { id: connectionId, issuer } = connection;
  const person = personOf(connection, asserted);
  return transaction(ctx, async (tx) => {
    const samlLogin = asserted.session && (await keepLogin(tx, connection, asserted.session));
    const common = { connectionId, issuer, person, binding: away.binding };
    const content: ConnectionResult = samlLogin === null ? common : { ...common, samlLogin };
    const userId = (await findLinkedUser(tx, { issuer, subject: person.subject })) ?? null;
    return issueExchangeCode(tx, { purpose: 'connection', content, userId, seconds: CODE_SECONDS });
  });
}

type VouchedFor = { connectionId: ConnectionId; issuer: string };

/**
 * Holds a connection for a person whom an identity provider vouched for earlier.
 * @param shares as in {@link holdConnection}
 * @throws Problem METHOD_DISABLED if it is disabled or removed, or has another identity provider since
 */
export async function holdIssuer(
  tx: TxCtx,
  { connectionId, issuer }: VouchedFor,
  shares: Parameters<typeof holdConnection>[2],
): ReturnType<typeof holdConnection> {
  const held = await holdConnection(tx, connectionId, shares);
  if (held.connection.issuer !== issuer) throw problem('METHOD_DISABLED');
  return held;
}

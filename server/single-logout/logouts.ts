import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type ConnectionId, samlOf, type UsableConnection } from '#connections';
import { type Ctx, type Environment, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { logoutRequestXml, type Received, readLogoutResponse, redirectAddress, SamlFault } from '#saml';
import type { Login } from './logins.ts';

type SamlLogoutsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  state_hash: Buffer;
  connection_id: ConnectionId;
  sealed: string;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    saml_logouts: SamlLogoutsTable;
  }
}

const SEALED = 'saml-logout';
const AWAY_MS = 600_000;

/** What is kept while the browser is at the identity provider. */
const Away = Type.Object({ requestId: Type.String(), returnTo: Type.String() });

/** Whether a logout here goes on at the identity provider. */
export function goesOn({ connection }: Login): boolean {
  const { identityProvider, singleLogout } = samlOf(connection);
  return singleLogout && identityProvider.logout?.binding === 'redirect';
}

/**
 * Where a browser goes to log out at the identity provider too, after our session has ended.
 * @param returnTo where it goes afterwards
 * @returns null if the connection does not do that
 */
export async function logoutAddress(login: Login, returnTo: string): Promise<string | null> {
  const { ctx, connection, session } = login;
  const { identityProvider, entityId, signingKey } = samlOf(connection);
  if (!goesOn(login) || !identityProvider.logout) return null;
  const destination = identityProvider.logout.url;
  const [state, requestId] = [randomSecret(), `_${randomSecret()}`];
  const head = { id: requestId, issuedAt: ctx.system.clock.now(), destination, issuer: entityId };
  const xml = logoutRequestXml(head, session, session.sessionIndex === null ? [] : [session.sessionIndex]);
  await keepAway(ctx, { connectionId: connection.id, state, away: { requestId, returnTo } });
  return redirectAddress({ kind: 'SAMLRequest', xml, destination, relayState: state }, signingKey.privateKey);
}

async function keepAway(
  ctx: Ctx,
  { connectionId, state, away }: { connectionId: ConnectionId; state: string; away: Static<typeof Away> },
): Promise<void> {
  const stateHash = hashSecret(state);
  await transaction(ctx, (tx) =>
    tx.db
      .insertInto('saml_logouts')
      .values({
        ...scopeColumns(tx),
        state_hash: stateHash,
        connection_id: connectionId,
        sealed: tx.system.keyring.seal(JSON.stringify(away), SEALED, stateHash.toString('hex')),
        expires_at: new Date(tx.now.getTime() + AWAY_MS),
      })
      .execute(),
  );
}

/**
 * The end of a logout at the identity provider. Our session ended before, whatever the response says.
 * @returns where the browser goes, and why the response was refused
 * @throws Problem INVALID_TOKEN for an unknown logout
 */
export async function finishLogout(
  ctx: Ctx,
  connection: UsableConnection,
  { received, recipient }: { received: Received; recipient: string },
): Promise<{ returnTo: string; fault: SamlFault | null }> {
  const stateHash = hashSecret(received.relayState ?? '');
  const row = await transaction(ctx, (tx) =>
    tx.db
      .deleteFrom('saml_logouts')
      .where(inScope(tx))
      .where('state_hash', '=', stateHash)
      .where('connection_id', '=', connection.id)
      .where('expires_at', '>', tx.now)
      .returning('sealed')
      .executeTakeFirst(),
  );
  if (!row) throw problem('INVALID_TOKEN');
  const opened = ctx.system.keyring.open(row.sealed, SEALED, stateHash.toString('hex'));
  const { requestId, returnTo } = Value.Parse(Away, JSON.parse(opened));
  const { entityId, certificates } = samlOf(connection).identityProvider;
  try {
    readLogoutResponse(received, { entityId, certificates, recipient, requestId, now: ctx.system.clock.now() });
    return { returnTo, fault: null };
  } catch (fault) {
    if (fault instanceof SamlFault) return { returnTo, fault };
    throw fault;
  }
}

import { sql } from 'kysely';
import { listIdentities } from '#linked-identities';
import { organizationAt } from '#organizations';
import { usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import { issuerOf } from './connection-changes.ts';
import type { ConnectionId } from './connections.ts';

/** Whether a recorded way in is a connection: then it is its id. */
export function isConnection(signInMethod: string): signInMethod is ConnectionId {
  return signInMethod.startsWith('con_');
}

/** What the connections of the scope's project say about a proof. */
export type ThroughConnections = {
  /** The person signed in through an enabled connection of the organization that they want to enter. */
  isOwn: boolean;
  /** They must sign in through one to enter the organization. */
  isRequired: boolean;
  /**
   * They signed in only through connections that are disabled, or of other projects, or whose identity provider no longer
   * knows them.
   */
  isForeign: boolean;
};

type Asking = { userId: UserId; organizationId: OrganizationId | null; signInMethods: readonly string[] };

const NOTHING: ThroughConnections = { isOwn: false, isRequired: false, isForeign: false };

/**
 * A connection vouches for people in its own organization and project alone, with the identity provider that it has now.
 * Outside of organizations, proofs without a connection cost no statement. Served by organization_connections_id,
 * organization_connections_enabled and linked_identities_of_user.
 */
export async function throughConnections(
  ctx: Ctx | TxCtx,
  { userId, organizationId, signInMethods }: Asking,
): Promise<ThroughConnections> {
  const used = signInMethods.filter(isConnection);
  if (used.length === 0 && organizationId === null) return NOTHING;
  const enabled = await ctx.db
    .selectFrom('organization_connections')
    .select(['id', 'organization_id as organizationId', 'kind', 'configuration', 'required'])
    .where(inScope(ctx))
    .where('status', '=', 'enabled')
    .where((eb) =>
      eb.or([
        eb('id', '=', sql<ConnectionId>`any(${used})`),
        ...(organizationId === null ? [] : [eb('organization_id', '=', organizationId)]),
      ]),
    )
    .execute();
  const linked = used.length === 0 ? [] : (await listIdentities(ctx, userId)).map(({ issuer }) => issuer);
  const known = enabled.filter((connection) => used.includes(connection.id) && linked.includes(issuerOf(connection)));
  const own = enabled.filter((connection) => connection.organizationId === organizationId);
  const isOwn = own.some((connection) => known.includes(connection));
  return {
    isOwn,
    isRequired: !isOwn && own.some(({ required }) => required) && (await isBound(ctx, userId, own)),
    isForeign: signInMethods.length > 0 && used.length === signInMethods.length && known.length === 0,
  };
}

type Own = Parameters<typeof issuerOf>[0] & { organizationId: OrganizationId };

/** Whether a person is at a verified mail domain of the organization, or has an account at one of its connections. */
async function isBound(ctx: Ctx | TxCtx, userId: UserId, own: readonly Own[]): Promise<boolean> {
  const user = (await usersById(ctx, [userId])).get(userId);
  const [organizationId] = own.map((connection) => connection.organizationId);
  if (user?.email && (await organizationAt(ctx, user.email)) === organizationId) return true;
  const issuers = own.map(issuerOf);
  return (await listIdentities(ctx, userId)).some(({ issuer }) => issuers.includes(issuer));
}

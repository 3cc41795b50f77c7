import { sql } from 'kysely';
import { issuersOf, listIdentities } from '#linked-identities';
import { membershipsOf } from '#members';
import { organizationAt, ownAccounts, rolesInOrganization } from '#organizations';
import { usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { InOrganization, ShownProof } from '#platform/standing.ts';
import { issuerOf } from './connection-changes.ts';
import type { ConnectionId } from './connections.ts';

/** Whether a recorded way in is a connection: then it is its id. */
export function isConnection(signInMethod: string): signInMethod is ConnectionId {
  return signInMethod.startsWith('con_');
}

/** The connections of a proof that consists of nothing else; empty if the person also proved something themselves. */
function soleConnections(signInMethods: readonly string[]): ConnectionId[] {
  return signInMethods.every(isConnection) ? signInMethods.filter(isConnection) : [];
}

/** What the connections of the scope's project say about a proof. */
export type ThroughConnections = {
  /** The person signed in through an enabled connection of the organization that they want to enter. */
  isOwn: boolean;
  /** They must sign in through one to enter the organization. */
  isRequired: boolean;
  /**
   * They signed in only through connections that do not vouch for them: disabled ones, those of other projects, those whose
   * identity provider no longer knows them or whose organization they left, and those that {@link isOutgrown}.
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
async function throughConnections(
  ctx: Ctx | TxCtx,
  { userId, organizationId, signInMethods }: Asking,
): Promise<ThroughConnections> {
  const used = signInMethods.filter(isConnection);
  if (used.length === 0 && organizationId === null) return NOTHING;
  const enabled = await enabledAmong(ctx, { used, organizationId });
  const known = await knownTo(ctx, userId, { used, enabled });
  const own = enabled.filter((connection) => connection.organizationId === organizationId);
  const isOwn = own.some(({ id }) => known.some((connection) => connection.id === id));
  const sole = soleConnections(signInMethods);
  return {
    isOwn,
    isRequired: !isOwn && own.some(({ required }) => required) && (await isBound(ctx, userId, own)),
    isForeign: sole.length > 0 && (await vouching(ctx, userId, known)).length === 0,
  };
}

type Chosen = { used: readonly ConnectionId[]; organizationId: OrganizationId | null };

/** The enabled connections among these, and those of the organization. */
function enabledAmong(ctx: Ctx | TxCtx, { used, organizationId }: Chosen) {
  return ctx.db
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
}
type Enabled = Awaited<ReturnType<typeof enabledAmong>>[number];
type Known = Enabled & { provenAt: Date | null };

/** Those of the used connections whose identity provider has an account that is linked to the person. */
async function knownTo(
  ctx: Ctx | TxCtx,
  userId: UserId,
  { used, enabled }: { used: readonly ConnectionId[]; enabled: readonly Enabled[] },
): Promise<Known[]> {
  if (used.length === 0) return [];
  const links = new Map((await issuersOf(ctx, userId)).map(({ issuer, provenAt }) => [issuer, provenAt]));
  return enabled.flatMap((connection) => {
    const provenAt = used.includes(connection.id) ? links.get(issuerOf(connection)) : undefined;
    return provenAt === undefined ? [] : [{ ...connection, provenAt }];
  });
}

/** Those of these connections that may sign the person in without another proof. */
async function vouching(ctx: Ctx | TxCtx, userId: UserId, known: readonly Known[]): Promise<Known[]> {
  if (known.length === 0) return [];
  const reach = await membershipsOf.reachOf(ctx, userId);
  const memberId = reach.memberships.find(({ projectId }) => projectId === ctx.scope.projectId)?.memberId;
  if (memberId === undefined) return [];
  const vouches: Known[] = [];
  for (const connection of known) {
    const { organizationId, provenAt } = connection;
    // biome-ignore lint/performance/noAwaitInLoops: a session has one connection
    const isIn = (await rolesInOrganization(ctx, { organizationId, memberId })) !== undefined;
    if (isIn && !(await isOutgrown(ctx, { userId, provenAt }))) vouches.push(connection);
  }
  return vouches;
}

/**
 * Whether a person has grown beyond what an organization may open: they have a role in a project of the workspace, and did
 * not confirm the account at the identity provider by a proof of their own since they got it. Such accounts are neither
 * joined to a connection nor entered through it.
 * @param provenAt when the person last confirmed the account
 */
async function isOutgrown(
  ctx: Ctx | TxCtx,
  { userId, provenAt }: { userId: UserId; provenAt: Date | null },
): Promise<boolean> {
  const { lastRoleAt } = await membershipsOf.reachOf(ctx, userId);
  return lastRoleAt !== null && (provenAt === null || provenAt <= lastRoleAt);
}

/**
 * A sign-in through a connection counts in its organization. For a change of the account it counts only if the organization
 * decides about the account: the identity provider of one company must not change what opens another.
 */
export async function proofCounts(ctx: Ctx | TxCtx, { userId, signInMethods, about }: ShownProof): Promise<boolean> {
  const used = soleConnections(signInMethods);
  if (used.length === 0) return true;
  const enabled = await enabledAmong(ctx, { used, organizationId: null });
  const known = await vouching(ctx, userId, await knownTo(ctx, userId, { used, enabled }));
  for (const { organizationId } of known) {
    // biome-ignore lint/performance/noAwaitInLoops: a session has one connection
    if (about.includes(organizationId) || (await decidesAboutAccount(ctx, { organizationId, userId }))) return true;
  }
  return false;
}

/** Whether an organization decides about the credentials of an account, too. */
async function decidesAboutAccount(ctx: Ctx | TxCtx, who: InOrganization): Promise<boolean> {
  return (await ownAccounts.isWholly(ctx, who)) && !(await ownAccounts.hasOwnAddress(ctx, who));
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

/** What a proof through connections is worth. */
export const connectionProofs = { sole: soleConnections, read: throughConnections, isOutgrown };

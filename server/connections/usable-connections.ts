import { getOrganization, lockOrganization } from '#organizations';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { found, Problem, problem } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { issuerOf } from './connection-changes.ts';
import {
  type ConnectionId,
  type ConnectionRef,
  type ConnectionRow,
  KEYS_PURPOSE,
  PURPOSE,
  rowsOf,
} from './connections.ts';
import { type AttributeNames, type ConnectionKind, KINDS } from './kinds.ts';
import { type SigningKey, signingKeyOf } from './oidc.ts';

/** A connection as used for signing in. */
export type UsableConnection = {
  id: ConnectionId;
  organizationId: OrganizationId;
  kind: ConnectionKind;
  name: string;
  /** The issuer under which its accounts are linked. */
  issuer: string;
  configuration: Record<string, unknown>;
  secret: string | null;
  /** With which Latchkey authenticates at the identity provider in place of a secret. */
  signingKey: SigningKey | null;
  attributes: AttributeNames;
  justInTime: boolean;
  roles: string[];
  groupRoles: Record<string, string[]>;
};

function enabledRow(ctx: Ctx | TxCtx, id: ConnectionId) {
  return ctx.db
    .selectFrom('organization_connections')
    .selectAll()
    .where(inScope(ctx))
    .where('id', '=', id)
    .where('status', '=', 'enabled')
    .executeTakeFirst();
}

function usable({ system }: Pick<TxCtx, 'system'>, row: ConnectionRow): UsableConnection {
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    name: row.name,
    issuer: issuerOf(row),
    configuration: row.configuration,
    secret: row.secret_sealed && system.keyring.open(row.secret_sealed, PURPOSE, row.id),
    signingKey: signingKeyOf({
      configuration: row.configuration,
      keys: row.keys_sealed && system.keyring.open(row.keys_sealed, KEYS_PURPOSE, row.id),
    }),
    attributes: { ...KINDS[row.kind].attributes, ...row.attributes },
    justInTime: row.just_in_time,
    roles: row.roles,
    groupRoles: row.group_roles,
  };
}

/**
 * A connection of the scope's project through which people sign in now. Served by organization_connections_id.
 * @throws Problem NOT_FOUND for one that is disabled, or of a blocked organization
 */
export async function enabledConnection(ctx: Ctx | TxCtx, id: ConnectionId): Promise<UsableConnection> {
  const row = await enabledRow(ctx, id);
  if (!row || (await getOrganization(ctx, row.organization_id)).status === 'blocked') throw noConnection();
  return usable(ctx, row);
}

/**
 * {@link enabledConnection}, with its organization locked. Disabling it waits, and then ends the new session too.
 * @param shares whether the caller will leave the organization as it is, and so may share the lock. Asked before it is
 * taken.
 * @throws Problem METHOD_DISABLED
 */
export async function holdConnection(
  tx: TxCtx,
  id: ConnectionId,
  shares: (connection: UsableConnection) => Promise<boolean>,
): Promise<{ connection: UsableConnection; shared: boolean }> {
  const known = await enabledRow(tx, id);
  if (!known) throw problem('METHOD_DISABLED');
  const shared = await shares(usable(tx, known));
  const organization = await lockOrganization(tx, known.organization_id, { shared }).catch((error: unknown) => {
    // It was deleted a moment ago, and the connection with it.
    throw error instanceof Problem && error.code === 'NOT_FOUND' ? problem('METHOD_DISABLED') : error;
  });
  const row = organization.status === 'active' ? await enabledRow(tx, id) : undefined;
  if (!row) throw problem('METHOD_DISABLED');
  return { connection: usable(tx, row), shared };
}

/**
 * A connection of any status.
 * @throws Problem NOT_FOUND
 */
export async function connectionToTest(
  ctx: Ctx,
  { organizationId, connectionId }: ConnectionRef,
): Promise<UsableConnection> {
  return usable(ctx, found(await rowsOf(ctx, organizationId).where('id', '=', connectionId).executeTakeFirst()));
}

/**
 * A connection of any status, enabled, with its organization locked; for a test whose transaction is rolled back.
 * @throws Problem METHOD_DISABLED for one of a blocked organization, NOT_FOUND
 */
export async function enableForTest(
  tx: TxCtx,
  { organizationId, connectionId }: ConnectionRef,
): Promise<UsableConnection> {
  const { status } = await lockOrganization(tx, organizationId);
  if (status === 'blocked') throw problem('METHOD_DISABLED', 'The organization is blocked.');
  const row = await tx.db
    .updateTable('organization_connections')
    .set({ status: 'enabled' })
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where('id', '=', connectionId)
    .returningAll()
    .executeTakeFirst();
  return usable(tx, found(row));
}

function noConnection() {
  return problem('NOT_FOUND', 'There is no such connection in this project, or it is disabled.');
}

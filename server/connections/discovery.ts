import { getOrganization, organizationAt } from '#organizations';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { ConnectionId } from './connections.ts';

/** What a person types as their name, and the organization that the application names. */
type Asking = { identifier: string | null; organizationId: OrganizationId | null };

/** Where a person signs in. */
export type HomeRealm = { id: ConnectionId; organizationId: OrganizationId; name: string; required: boolean };

/**
 * The connection through which a person signs in: by the verified mail domain of their address, whether there is an
 * account or not, or by the organization alone if no address is known. Of several, a required one comes first, then the
 * oldest. Served by organization_connections_enabled.
 * @returns null if there is none
 */
export async function discoverConnection(ctx: Ctx, { identifier, organizationId }: Asking): Promise<HomeRealm | null> {
  const home = identifier === null ? organizationId : await homeOf(ctx, identifier);
  if (!home || (organizationId !== null && home !== organizationId)) return null;
  const row = await ctx.db
    .selectFrom('organization_connections')
    .select(['id', 'organization_id as organizationId', 'name', 'required'])
    .where(inScope(ctx))
    .where('organization_id', '=', home)
    .where('status', '=', 'enabled')
    .orderBy('required', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!row || (await getOrganization(ctx, home)).status === 'blocked') return null;
  return row;
}

async function homeOf(ctx: Ctx, identifier: string): Promise<OrganizationId | undefined> {
  const email = parseEmail(identifier);
  return email === null ? undefined : organizationAt(ctx, email);
}

/** The names of those of these connections that the project has, by their ids. Served by organization_connections_id. */
export async function connectionNames(ctx: Ctx | TxCtx, ids: readonly ConnectionId[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('organization_connections')
    .select(['id', 'name'])
    .where(inScope(ctx))
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Whether an address may lead to a connection, so that it is asked for first. Served by organization_connections_enabled. */
export async function hasConnections(ctx: Ctx): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('organization_connections')
    .select('id')
    .where(inScope(ctx))
    .where('status', '=', 'enabled')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

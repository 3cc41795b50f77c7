import type { Static } from 'typebox';
import { organizationRates } from '#organization-limits';
import { inside } from '#organizations';
import type { Ctx } from '#platform/ctx.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { limitKey } from '#platform/limits.ts';
import type { Page, PageQuery } from '#platform/page.ts';
import { problemWithRetry } from '#platform/problem.ts';
import {
  createConnection,
  deleteConnection,
  type MayConnect,
  type Prepared,
  prepareChanges,
  prepareNew,
  updateConnection,
} from './connection-changes.ts';
import {
  type Connection,
  type ConnectionChanges,
  type ConnectionRef,
  getConnection,
  listConnections,
  type NewConnection,
} from './connections.ts';

const READ = 'org.connections:read';
const WRITE = 'org.connections:write';

/** The authority of the signed-in member: their permissions in the organization must cover the roles of the connection. */
function connectingInside(organizationId: OrganizationId): MayConnect {
  const authority = inside.authority(organizationId);
  return (tx, roles) => authority(tx, 'organization.connection.change', roles);
}

/**
 * Checks that the signed-in member may change connections, and counts a call to an address that they give.
 * @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, RATE_LIMIT_EXCEEDED
 */
async function requireConnecting(ctx: Ctx, organizationId: OrganizationId): Promise<void> {
  await inside.require(ctx, organizationId, WRITE);
  const taken = await organizationRates(ctx.system)['organization-connection-calls'].take(
    ctx,
    limitKey(organizationId),
  );
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, INVALID_CURSOR */
export async function listOwnConnections(
  ctx: Ctx,
  organizationId: OrganizationId,
  query: Static<typeof PageQuery>,
): Promise<Page<Connection>> {
  await inside.require(ctx, organizationId, READ);
  return listConnections(ctx, organizationId, query);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export async function getOwnConnection(ctx: Ctx, ref: ConnectionRef): Promise<Connection> {
  await inside.require(ctx, ref.organizationId, READ);
  return getConnection(ctx, ref);
}

/** @throws Problem as {@link requireConnecting}, VALIDATION_FAILED */
export async function prepareOwn(
  ctx: Ctx,
  organizationId: OrganizationId,
  given: NewConnection,
): Promise<Prepared<NewConnection>> {
  await requireConnecting(ctx, organizationId);
  return prepareNew(ctx, organizationId, given);
}

/** @throws Problem as {@link requireConnecting}, VALIDATION_FAILED */
export async function prepareOwnChanges(
  ctx: Ctx,
  ref: ConnectionRef,
  given: ConnectionChanges,
): Promise<Prepared<ConnectionChanges>> {
  await requireConnecting(ctx, ref.organizationId);
  return prepareChanges(ctx, ref, given);
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, CONFLICT, VALIDATION_FAILED */
export function createOwnConnection(
  ctx: Ctx,
  organizationId: OrganizationId,
  prepared: Prepared<NewConnection>,
): Promise<Connection> {
  const may = connectingInside(organizationId);
  return inside.change(ctx, organizationId, WRITE, (tx) => createConnection(tx, organizationId, prepared, { may }));
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, VALIDATION_FAILED */
export function updateOwnConnection(
  ctx: Ctx,
  ref: ConnectionRef,
  prepared: Prepared<ConnectionChanges>,
): Promise<Connection> {
  const may = connectingInside(ref.organizationId);
  return inside.change(ctx, ref.organizationId, WRITE, (tx) => updateConnection(tx, ref, prepared, { may }));
}

/** @throws Problem NOT_FOUND, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED */
export function deleteOwnConnection(ctx: Ctx, ref: ConnectionRef): Promise<void> {
  const may = connectingInside(ref.organizationId);
  return inside.change(ctx, ref.organizationId, WRITE, (tx) => deleteConnection(tx, ref, { may }));
}

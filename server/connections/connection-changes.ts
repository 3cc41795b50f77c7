import { emit } from '#events';
import { unlinkIssuer, usersOfIssuer } from '#linked-identities';
import { requireAuthority } from '#members';
import { requireOrganizationRoom } from '#organization-limits';
import { getOrganization, lockJoiningRoles, lockKnownRoles, lockOrganization, ownPermissions } from '#organizations';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { newId, type OrganizationId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import type { OrganizationSessions } from '#platform/part.ts';
import { found, problem } from '#platform/problem.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { changeOrganizationSessions, revokeSessions } from '#sessions';
import {
  type Connection,
  type ConnectionChanges,
  type ConnectionId,
  type ConnectionRef,
  type ConnectionRow,
  KEYS_PURPOSE,
  type NewConnection,
  PURPOSE,
  recordsOf,
  rowsOf,
} from './connections.ts';
import { type ConnectionKind, connectionKinds, KINDS, type Kind, type Stored } from './kinds.ts';

type OrganizationRole = Awaited<ReturnType<typeof lockKnownRoles>>[number];

/** A change with what its kind did before the transaction. */
export type Prepared<Given> = { given: Given; prepared: unknown };

/**
 * Checks that the actor may change a connection, which vouches for people and grants these roles.
 * @throws Problem AUTHORIZATION_DENIED
 */
export type MayConnect = (tx: TxCtx, roles: readonly OrganizationRole[]) => Promise<void>;

const asAdministrator: MayConnect = (tx, roles) =>
  requireAuthority(tx, 'organization.connection.change', { grants: grantsOfConnection(roles) });

/** The permissions in the project that a connection with these roles takes. */
export function grantsOfConnection(roles: readonly OrganizationRole[]): string[] {
  return ['providers:write', ...roles.flatMap(({ permissions }) => ownPermissions(permissions))];
}

/**
 * Checks, before an address in a change is read, that the actor may change identity providers.
 * @throws Problem AUTHORIZATION_DENIED
 */
export async function requireProviders(ctx: Ctx): Promise<void> {
  await transaction(ctx, (tx) => asAdministrator(tx, []));
}

/** By what authority a connection changes; by default that of the actor in the project. */
type By = { may?: MayConnect };

/** @throws Problem NOT_FOUND, VALIDATION_FAILED */
export async function prepareNew(
  ctx: Ctx,
  organizationId: OrganizationId,
  given: NewConnection,
): Promise<Prepared<NewConnection>> {
  await getOrganization(ctx, organizationId);
  const kind = kindIn(given);
  const { prepare }: Kind = KINDS[kind];
  return { given, prepared: await prepare?.(ctx, null, given[kind]) };
}

/** @throws Problem NOT_FOUND, VALIDATION_FAILED, AUTHORIZATION_DENIED */
export async function prepareChanges(
  ctx: Ctx,
  { organizationId, connectionId }: ConnectionRef,
  given: ConnectionChanges,
): Promise<Prepared<ConnectionChanges>> {
  const row = found(await rowsOf(ctx, organizationId).where('id', '=', connectionId).executeTakeFirst());
  const { prepare }: Kind = KINDS[row.kind];
  const written = given[row.kind];
  return { given, prepared: written && (await prepare?.(ctx, storedIn(ctx, row), written)) };
}

/**
 * Adds a connection.
 * @param by `id`: the id of the connection, if the identity provider was given it in advance
 * @throws Problem NOT_FOUND, CONFLICT at the limit, VALIDATION_FAILED, AUTHORIZATION_DENIED
 */
export function createConnection(
  ctx: Ctx | TxCtx,
  organizationId: OrganizationId,
  { given: connection, prepared }: Prepared<NewConnection>,
  { id = newId('con', ctx.now), may = asAdministrator }: By & { id?: ConnectionId } = {},
): Promise<Connection> {
  const { name, status = 'disabled', required = false, justInTime = false, ...given } = connection;
  const { roles = [], groupRoles = {}, attributes = {} } = given;
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, organizationId);
    const kind = kindIn(given);
    await requireRoom(tx, organizationId);
    await requireGrants(tx, may, { before: null, after: { roles, groupRoles } });
    const row = await tx.db
      .insertInto('organization_connections')
      .values({
        ...scopeColumns(tx),
        organization_id: organizationId,
        id,
        kind,
        name,
        status,
        required,
        just_in_time: justInTime,
        roles: [...roles].sort(),
        attributes: JSON.stringify(attributes),
        group_roles: JSON.stringify(groupRoles),
        ...sealed(tx, id, KINDS[kind].merge(null, given[kind], prepared)),
        created_at: tx.now,
        updated_at: tx.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'organization.connection.created', naming(row));
    return recordOf(tx, row);
  });
}

/**
 * The kind of a new connection: its configuration is given.
 * @throws Problem VALIDATION_FAILED unless exactly one is given
 */
function kindIn(given: Partial<Record<ConnectionKind, unknown>>): ConnectionKind {
  const [kind, ...others] = connectionKinds.filter((one) => given[one] !== undefined);
  if (kind && others.length === 0) return kind;
  const message = `Exactly one of these is needed: ${connectionKinds.join(', ')}`;
  throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body', message }] } });
}

/** The caller has locked the organization, so that the maximum is exact. */
async function requireRoom(tx: TxCtx, organizationId: OrganizationId): Promise<void> {
  const { length } = await rowsOf(tx, organizationId).execute();
  await requireOrganizationRoom(tx, 'connections', length);
}

type Granting = { roles: readonly string[]; groupRoles: Readonly<Record<string, readonly string[]>> };

/**
 * A connection vouches for people and grants roles: the actor may change identity providers, and has every permission
 * that the roles grant, before and afterwards.
 * @throws Problem AUTHORIZATION_DENIED, VALIDATION_FAILED for an unknown role or `owner`
 */
async function requireGrants(
  tx: TxCtx,
  may: MayConnect,
  { before, after: { roles, groupRoles } }: { before: Granting | null; after: Granting },
): Promise<void> {
  const earlier = before ? [...before.roles, ...ofGroups(before)] : [];
  const isNew = (key: string) => !earlier.includes(key);
  const affected = [
    ...(await lockJoiningRoles(tx, roles.filter(isNew))),
    ...(await lockJoiningRoles(tx, ofGroups({ groupRoles }).filter(isNew), '/body/groupRoles')),
    ...(await lockKnownRoles(tx, earlier)),
  ];
  await may(tx, affected);
}

function ofGroups({ groupRoles }: Pick<Granting, 'groupRoles'>): string[] {
  return [...new Set(Object.values(groupRoles).flat())];
}

function sealed(tx: TxCtx, id: ConnectionId, { configuration, secret, keys }: Stored) {
  return {
    configuration: JSON.stringify(configuration),
    secret_sealed: secret === null ? null : tx.system.keyring.seal(secret, PURPOSE, id),
    keys_sealed: keys === null ? null : tx.system.keyring.seal(keys, KEYS_PURPOSE, id),
  };
}

function storedIn(
  { system }: Pick<TxCtx, 'system'>,
  { id, configuration, secret_sealed: secret, keys_sealed: keys }: ConnectionRow,
): Stored {
  return {
    configuration,
    secret: secret === null ? null : system.keyring.open(secret, PURPOSE, id),
    keys: keys === null ? null : system.keyring.open(keys, KEYS_PURPOSE, id),
  };
}

/** A connection in events. */
export function naming({ organization_id: organizationId, id: connectionId, kind, name }: ConnectionRow) {
  return { organizationId, connectionId, kind, name };
}

async function recordOf(tx: TxCtx, row: ConnectionRow): Promise<Connection> {
  const [record] = await recordsOf(tx, [row]);
  return found(record);
}

/** Serializes changes of the connections of an organization. */
async function lockConnection(tx: TxCtx, { organizationId, connectionId }: ConnectionRef): Promise<ConnectionRow> {
  await lockOrganization(tx, organizationId);
  return found(await rowsOf(tx, organizationId).where('id', '=', connectionId).forUpdate().executeTakeFirst());
}

/**
 * Changes a connection. Sessions that began through it end when it is disabled, or when another party vouches for its
 * people.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED, AUTHORIZATION_DENIED
 */
export function updateConnection(
  ctx: Ctx | TxCtx,
  ref: ConnectionRef,
  { given: changes, prepared }: Prepared<ConnectionChanges>,
  { may = asAdministrator }: By = {},
): Promise<Connection> {
  return transaction(ctx, async (tx) => {
    const before = await lockConnection(tx, ref);
    const { roles = before.roles, groupRoles = before.group_roles } = changes;
    const earlier = { roles: before.roles, groupRoles: before.group_roles };
    await requireGrants(tx, may, { before: earlier, after: { roles, groupRoles } });
    const stored = mergedWith(storedIn(tx, before), before.kind, { given: changes, prepared });
    const after = await tx.db
      .updateTable('organization_connections')
      .set({
        name: changes.name ?? before.name,
        status: changes.status ?? before.status,
        required: changes.required ?? before.required,
        just_in_time: changes.justInTime ?? before.just_in_time,
        roles: [...roles].sort(),
        attributes: JSON.stringify(changes.attributes ?? before.attributes),
        group_roles: JSON.stringify(groupRoles),
        ...sealed(tx, ref.connectionId, stored),
        updated_at: tx.now,
      })
      .where(inScope(tx))
      .where('organization_id', '=', ref.organizationId)
      .where('id', '=', ref.connectionId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'organization.connection.updated', { ...naming(after), fields: Object.keys(changes).sort() });
    await endWhatDependsOn(tx, before, after);
    return recordOf(tx, after);
  });
}

/** @throws Problem VALIDATION_FAILED for the configuration of another kind */
function mergedWith(before: Stored, kind: ConnectionKind, { given, prepared }: Prepared<ConnectionChanges>): Stored {
  const other = connectionKinds.find((one) => one !== kind && given[one] !== undefined);
  if (other) {
    const errors = [{ pointer: `/body/${other}`, message: `This connection is of the kind "${kind}"` }];
    throw problem('VALIDATION_FAILED', { extensions: { errors } });
  }
  return given[kind] === undefined ? before : KINDS[kind].merge(before, given[kind], prepared);
}

/** @throws Problem NOT_FOUND, AUTHORIZATION_DENIED */
export async function deleteConnection(
  ctx: Ctx | TxCtx,
  ref: ConnectionRef,
  { may = asAdministrator }: By = {},
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const before = await lockConnection(tx, ref);
    const earlier = { roles: before.roles, groupRoles: before.group_roles };
    await requireGrants(tx, may, { before: earlier, after: { roles: [], groupRoles: {} } });
    await tx.db
      .deleteFrom('organization_connections')
      .where(inScope(tx))
      .where('organization_id', '=', ref.organizationId)
      .where('id', '=', ref.connectionId)
      .execute();
    await emit(tx, 'organization.connection.deleted', naming(before));
    await endWhatDependsOn(tx, before, null);
  });
}

/**
 * Ends the sessions that began through a connection when it is disabled or removed, or another party vouches for its
 * people. If a connection becomes required, sessions in the organization are decided again.
 */
async function endWhatDependsOn(tx: TxCtx, before: ConnectionRow, after: ConnectionRow | null): Promise<void> {
  const lives = after?.status === 'enabled' && issuerOf(after) === issuerOf(before);
  if (!lives && before.status === 'enabled') {
    const users = await usersOfIssuer(tx, issuerOf(before));
    await revokeSessions(tx, users, { begunThrough: [before.id] }, 'connection_ended');
  }
  if (after === null) await unlinkIssuer(tx, issuerOf(before));
  const requires = (row: ConnectionRow | null) => row?.status === 'enabled' && row.required;
  if (requires(after) && !requires(before))
    await changeOrganizationSessions(tx, {
      organizationId: before.organization_id,
      action: 'renew',
      reason: 'organization_connection_required',
    });
}

/**
 * Ends the sessions of a person who is no longer in an organization that began through its connections and in no other
 * way: it vouches for its members alone.
 */
export async function endWithMembership(
  tx: TxCtx,
  { organizationId, userId, action, reason }: OrganizationSessions,
): Promise<void> {
  if (action !== 'end' || userId === undefined) return;
  const begunThrough = (await rowsOf(tx, organizationId).execute()).map(({ id }) => id);
  if (begunThrough.length > 0) await revokeSessions(tx, userId, { begunThrough }, reason);
}

/** Unlinks the accounts of the connections of a deleted organization: in a job, because there may be many. */
export async function unlinkConnections(tx: TxCtx, organizationId: OrganizationId): Promise<void> {
  const rows = await rowsOf(tx, organizationId).execute();
  if (rows.length > 0) await addJob(tx, 'unlink_issuers', { ...tx.scope, issuers: rows.map(issuerOf) });
}

/**
 * The issuer in the linked identities of a connection. Two connections to one identity provider have different issuers,
 * and so has a connection whose identity provider changed.
 */
export function issuerOf({ id, kind, configuration }: Pick<ConnectionRow, 'id' | 'kind' | 'configuration'>): string {
  return `urn:latchkey:connection:${id}:${KINDS[kind].authority(configuration)}`;
}

import type { Generated, Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { addressesOf } from '#domains';
import { projectOf } from '#environments';
import { RoleKey } from '#members';
import { getOrganization, OrganizationRef } from '#organizations';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { type Id, IdSchema, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import { type AttributeNames, type ConnectionKind, connectionKinds, KINDS } from './kinds.ts';
import { jwksUrl, NewOidcConfiguration, OidcChanges, ShownOidcConfiguration, shownOidc } from './oidc.ts';
import { NewSamlConfiguration, SamlChanges, ShownSamlConfiguration, serviceEntityId, shownSaml } from './saml.ts';

export type ConnectionId = Id<'con'>;

type OrganizationConnectionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: ConnectionId;
  kind: ConnectionKind;
  name: string;
  status: 'enabled' | 'disabled';
  required: boolean;
  just_in_time: boolean;
  roles: string[];
  attributes: Json<Partial<AttributeNames>>;
  group_roles: Json<Record<string, string[]>>;
  configuration: Json<Record<string, unknown>>;
  secret_sealed: Generated<string | null>;
  keys_sealed: Generated<string | null>;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    organization_connections: OrganizationConnectionsTable;
  }
}

export type ConnectionRow = Selectable<OrganizationConnectionsTable>;

/** What is sealed about a connection is bound to its id. */
export const PURPOSE = 'connection-secret';
export const KEYS_PURPOSE = 'connection-keys';

const attributeName = (what: string) =>
  Type.String({ minLength: 1, maxLength: 500, description: `The attribute with ${what}.` });
const attributeNames = {
  email: attributeName('the email address'),
  givenName: attributeName('the given name'),
  familyName: attributeName('the family name'),
  displayName: attributeName('the full name'),
  groups: attributeName('the names of the groups that the person is in'),
};
const Roles = Type.Array(RoleKey, { maxItems: 10, uniqueItems: true });
const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description: 'Shown on the sign-in page.' }),
  status: Type.Enum(['enabled', 'disabled']),
  required: Type.Boolean({
    description:
      'While it is enabled, people with an address at a verified mail domain of the organization enter the organization only through a connection.',
  }),
  justInTime: Type.Boolean({
    description:
      'People who sign in through it become members of the organization, with a new account if they have none. Without it, only members sign in.',
  }),
  roles: Type.Array(RoleKey, {
    maxItems: 10,
    uniqueItems: true,
    description: 'The roles in the organization of those who join through it.',
  }),
  groupRoles: Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Roles, {
    maxProperties: 100,
    description:
      'Roles in the organization by the name of a group at the identity provider. At each sign-in, the person gets the roles of their groups, and loses the other roles that are named here.',
  }),
};
const Attributes = Type.Partial(Type.Object(attributeNames), { additionalProperties: false });
const { name, status, required, justInTime, roles, groupRoles } = Type.Partial(Type.Object(fields)).properties;
const settings = { status, required, justInTime, roles, groupRoles, attributes: Type.Optional(Attributes) };

export const ConnectionRef = Type.Object({ ...OrganizationRef.properties, connectionId: IdSchema('con') });
export type ConnectionRef = Static<typeof ConnectionRef>;

/** Exactly one of the kinds is given. */
export const NewConnection = Type.Object(
  {
    name: fields.name,
    ...settings,
    oidc: Type.Optional(NewOidcConfiguration),
    saml: Type.Optional(NewSamlConfiguration),
  },
  { additionalProperties: false },
);
export type NewConnection = Static<typeof NewConnection>;

export const ConnectionChanges = Type.Object(
  { name, ...settings, oidc: Type.Optional(OidcChanges), saml: Type.Optional(SamlChanges) },
  { additionalProperties: false, minProperties: 1 },
);
export type ConnectionChanges = Static<typeof ConnectionChanges>;

/** A connection of an organization, without its secret. */
export const Connection = Type.Object(
  {
    id: IdSchema('con'),
    organizationId: IdSchema('org'),
    kind: Type.Enum([...connectionKinds]),
    ...fields,
    attributes: Type.Object(attributeNames),
    oidc: nullable(ShownOidcConfiguration),
    saml: nullable(ShownSamlConfiguration),
    callbackUrl: Type.String({
      description: "The callback address to register at the identity provider, at the environment's own address.",
    }),
    callbackUrls: Type.Array(Type.String(), {
      description: 'All callback addresses, including those of the auth domains bound to the project.',
    }),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'OrganizationConnection' },
);
export type Connection = Static<typeof Connection>;

export async function recordsOf(
  { system, scope }: Pick<TxCtx, 'system' | 'scope'>,
  rows: readonly ConnectionRow[],
): Promise<Connection[]> {
  const { auth: own } = await addressesOf(system, scope);
  const { auth } = system.config.addresses[scope.environment];
  const { routingKey } = await projectOf(system, scope);
  return rows.map((row) => recordOf(row, { callbacks: [auth, ...own], routingKey }));
}

type Around = { callbacks: readonly string[]; routingKey: string };

function recordOf(row: ConnectionRow, { callbacks, routingKey }: Around): Connection {
  const [auth = ''] = callbacks;
  const callbackAt = (address: string) => `${address}${callbackPath(row.id)}`;
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    name: row.name,
    status: row.status,
    required: row.required,
    justInTime: row.just_in_time,
    roles: row.roles,
    groupRoles: row.group_roles,
    attributes: { ...KINDS[row.kind].attributes, ...row.attributes },
    oidc: shownOidc(row, auth),
    saml: shownSaml(row, { routingKey, address: auth }),
    callbackUrl: callbackAt(auth),
    callbackUrls: callbacks.map(callbackAt),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Where the browser returns from the identity provider. Each connection has its own path (mix-up; RFC 9700 §4.4.2.2). */
export function callbackPath(id: ConnectionId): string {
  return `/v1/auth/login/connections/${id}/callback`;
}

/**
 * What an identity provider is told about this side. The id is known before the connection is added, because most
 * identity providers want these values before they give theirs.
 */
export async function serviceAddresses({ system, scope }: Pick<TxCtx, 'system' | 'scope'>, id: ConnectionId) {
  const { auth: own } = await addressesOf(system, scope);
  const { auth } = system.config.addresses[scope.environment];
  return {
    entityId: serviceEntityId(id),
    callbackUrls: [auth, ...own].map((url) => `${url}${callbackPath(id)}`),
    jwksUrl: jwksUrl(id, { address: auth, ...scope }),
  };
}

export function rowsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db
    .selectFrom('organization_connections')
    .selectAll()
    .where(inScope(ctx))
    .where('organization_id', '=', organizationId);
}

/**
 * The connections of an organization, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listConnections(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Connection>> {
  await getOrganization(ctx, organizationId);
  const list = JSON.stringify(['connections', organizationId]);
  const page = await newestFirst(ctx, rowsOf(ctx, organizationId), { list, limit, cursor });
  return { items: await recordsOf(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getConnection(
  ctx: Ctx | TxCtx,
  { organizationId, connectionId }: ConnectionRef,
): Promise<Connection> {
  const row = await rowsOf(ctx, organizationId).where('id', '=', connectionId).executeTakeFirst();
  const [record] = await recordsOf(ctx, [found(row)]);
  return found(record);
}

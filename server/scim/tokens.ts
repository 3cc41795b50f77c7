import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { emit } from '#events';
import { requireOrganizationRoom } from '#organization-limits';
import { getOrganization, lockOrganization } from '#organizations';
import { type Ctx, type Environment, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { hashSecret, randomSecret } from '#platform/keyring.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { isClosed, workspaceByRoutingKey } from '#tenancy';

export type ScimTokenId = Id<'sct'>;

type ScimTokensTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: ScimTokenId;
  hash: Buffer;
  name: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    scim_tokens: ScimTokensTable;
  }
}

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Such as the directory’s name.',
});

export const NewScimToken = Type.Object(
  {
    name,
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 3_600,
        maximum: 63_072_000,
        description: 'Seconds; without it the token does not expire.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ScimToken = Type.Object(
  {
    id: IdSchema('sct'),
    name: Type.String(),
    createdAt: Instant,
    expiresAt: nullable(Instant),
    lastUsedAt: nullable(Instant),
  },
  { title: 'ScimToken' },
);
type ScimToken = Static<typeof ScimToken>;

/** The record with the token itself, which is shown only once. */
export const IssuedScimToken = Type.Object({
  ...ScimToken.properties,
  token: Type.String({ description: 'Shown once.' }),
});

/** `lkp_`, the workspace's routing key, 256 random bits. */
const SHAPE = /^lkp_([a-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

function recordOf(row: Omit<Selectable<ScimTokensTable>, 'hash'>): ScimToken {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

function tokensOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db.selectFrom('scim_tokens').selectAll().where(inScope(ctx)).where('organization_id', '=', organizationId);
}

/**
 * The tokens of an organization's directories, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listScimTokens(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<ScimToken>> {
  await getOrganization(ctx, organizationId);
  const list = JSON.stringify(['scim tokens', organizationId]);
  const page = await newestFirst(ctx, tokensOf(ctx, organizationId), { list, limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getScimToken(ctx: Ctx, organizationId: OrganizationId, id: ScimTokenId): Promise<ScimToken> {
  return recordOf(found(await tokensOf(ctx, organizationId).where('id', '=', id).executeTakeFirst()));
}

/**
 * Issues the token with which a directory provisions one organization: shown once, stored as a hash.
 * @throws Problem NOT_FOUND, CONFLICT beyond the maximum
 */
export function issueScimToken(
  ctx: Ctx | TxCtx,
  organizationId: OrganizationId,
  { name, expiresIn }: Static<typeof NewScimToken>,
): Promise<Static<typeof IssuedScimToken>> {
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, organizationId);
    const { length } = await tokensOf(tx, organizationId).execute();
    await requireOrganizationRoom(tx, 'directoryTokens', length);
    const { routingKey } = await projectOf(tx.system, tx.scope, tx.db);
    const token = `lkp_${routingKey}_${randomSecret()}`;
    const row = await tx.db
      .insertInto('scim_tokens')
      .values({
        ...scopeColumns(tx),
        organization_id: organizationId,
        id: newId('sct', tx.now),
        hash: hashSecret(token),
        name,
        expires_at: expiresIn === undefined ? null : new Date(tx.now.getTime() + expiresIn * 1000),
        last_used_at: null,
        created_at: tx.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'organization.scim_token.created', { organizationId, scimTokenId: row.id, name });
    return { ...recordOf(row), token };
  });
}

/**
 * Removes a token; the next request with it is refused. What it provisioned stays.
 * @throws Problem NOT_FOUND
 */
export async function deleteScimToken(
  ctx: Ctx | TxCtx,
  organizationId: OrganizationId,
  id: ScimTokenId,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const row = await tx.db
      .deleteFrom('scim_tokens')
      .where(inScope(tx))
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    await emit(tx, 'organization.scim_token.deleted', { organizationId, scimTokenId: id, name: row.name });
  });
}

/** A presented token. */
export type Presented = { id: ScimTokenId; organizationId: OrganizationId; scope: Scope };

const MINUTES_BETWEEN_USES = 5;

/**
 * Finds a token. Served by scim_tokens_hash.
 * @returns undefined for a token that is unknown, expired, or of the other environment
 */
export async function findScimToken(
  system: System,
  environment: Environment,
  token: string,
): Promise<Presented | undefined> {
  const [, routingKey] = SHAPE.exec(token) ?? [];
  const workspaceId = routingKey && (await workspaceByRoutingKey(system, routingKey));
  if (!workspaceId) return undefined;
  const now = system.clock.now();
  const row = await system.db
    .selectFrom('scim_tokens')
    .select(['id', 'project_id', 'organization_id', 'last_used_at'])
    .where('workspace_id', '=', workspaceId)
    .where('hash', '=', hashSecret(token))
    .where('environment', '=', environment)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
  if (!row) return undefined;
  const scope = { workspaceId, projectId: row.project_id, environment };
  if (await isClosed(system, scope)) return undefined;
  const presented = { id: row.id, organizationId: row.organization_id, scope };
  const longAgo = now.getTime() - MINUTES_BETWEEN_USES * 60_000;
  if (row.last_used_at === null || row.last_used_at.getTime() < longAgo) await recordUse(system, presented, now);
  return presented;
}

async function recordUse(system: System, { id, organizationId, scope }: Presented, now: Date): Promise<void> {
  await singleWrite(system, 'count')
    .updateTable('scim_tokens')
    .set({ last_used_at: now })
    .where(inScope({ scope }))
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

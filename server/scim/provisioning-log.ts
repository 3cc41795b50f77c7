import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { getOrganization } from '#organizations';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import {
  type Id,
  IdSchema,
  newId,
  type OrganizationId,
  type ProjectId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { deleteOldRows } from '#platform/part.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';

import type { System } from '#platform/system.ts';
import type { Directory } from './directory.ts';
import type { ScimTokenId } from './tokens.ts';

type ScimLogTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: Id<'scl'>;
  token_id: ScimTokenId;
  action: Action;
  resource_type: 'User' | 'Group';
  resource_id: string | null;
  user_id: UserId | null;
  name: string | null;
  outcome: 'applied' | 'refused';
  detail: string | null;
  changes: Json<string[]>;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    scim_log: ScimLogTable;
  }
}

const Action = Type.Enum(['create', 'replace', 'change', 'delete']);
export type Action = Static<typeof Action>;

export const ProvisioningLogEntry = Type.Object(
  {
    id: IdSchema('scl'),
    tokenId: IdSchema('sct'),
    action: Action,
    resourceType: Type.Enum(['User', 'Group']),
    resourceId: nullable(Type.String()),
    name: nullable(Type.String({ description: 'Null after the erasure of the person.' })),
    outcome: Type.Enum(['applied', 'refused']),
    detail: nullable(Type.String({ description: 'What happened to the account, or why the request was refused.' })),
    changes: Type.Array(Type.String(), { description: 'The attributes that changed.' }),
    occurredAt: Instant,
  },
  { title: 'ProvisioningLogEntry' },
);
export const ProvisioningLogQuery = Type.Object({
  ...PageQuery.properties,
  outcome: Type.Optional(Type.Enum(['applied', 'refused'])),
});

const KEPT_DAYS = 90;

/** What is logged of one request of a directory. */
export type Entry = {
  action: Action;
  resourceType: 'User' | 'Group';
  resourceId: string | null;
  userId?: UserId;
  name: string | null;
  outcome: 'applied' | 'refused';
  detail: string | null;
  changes?: readonly string[];
};

export function log(ctx: Ctx | TxCtx, { organizationId, tokenId }: Directory, entry: Entry): Promise<void> {
  return transaction(ctx, async (tx) => {
    await tx.db
      .insertInto('scim_log')
      .values({
        ...scopeColumns(tx),
        organization_id: organizationId,
        id: newId('scl', tx.now),
        token_id: tokenId,
        action: entry.action,
        resource_type: entry.resourceType,
        resource_id: entry.resourceId,
        user_id: entry.userId ?? null,
        name: entry.name,
        outcome: entry.outcome,
        detail: entry.detail,
        changes: JSON.stringify(entry.changes ?? []),
        created_at: tx.now,
      })
      .execute();
  });
}

/**
 * What the directories of an organization did, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listProvisioningLog(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor, outcome }: Static<typeof ProvisioningLogQuery>,
): Promise<Page<Static<typeof ProvisioningLogEntry>>> {
  await getOrganization(ctx, organizationId);
  let query = ctx.db
    .selectFrom('scim_log')
    .selectAll()
    .where(inScope(ctx))
    .where('organization_id', '=', organizationId);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  const list = JSON.stringify(['provisioning log', organizationId, outcome]);
  const page = await newestFirst(ctx, query, { list, limit, cursor });
  const items = page.rows.map((row) => ({
    id: row.id,
    tokenId: row.token_id,
    action: row.action,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    name: row.name,
    outcome: row.outcome,
    detail: row.detail,
    changes: row.changes,
    occurredAt: row.created_at.toISOString(),
  }));
  return { items, nextCursor: page.nextCursor };
}

/**
 * Removes the names of an erased person, also where a directory was refused before it knew their account. Served by
 * scim_log_of_user and scim_log_refused_names.
 */
export async function eraseProvisioning(tx: TxCtx, userId: UserId, addresses: readonly string[]): Promise<void> {
  const refused = sql<boolean>`user_id is null and lower(name) = any(${[...addresses]})`;
  for (const theirs of [sql<boolean>`user_id = ${userId}`, refused]) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await tx.db
      .updateTable('scim_log')
      .set({ name: null, detail: null })
      .where(acrossProjects(tx))
      .where(theirs)
      .execute();
  }
}

export async function deleteOldEntries(system: System): Promise<void> {
  const since = new Date(system.clock.now().getTime() - KEPT_DAYS * 86_400_000);
  await deleteOldRows(system, 'scim_log', { column: 'created_at', before: since });
}

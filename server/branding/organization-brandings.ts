import { type Static, Type } from 'typebox';
import type { Ctx, Environment, Scope, TxCtx } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import type { OrganizationId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { Branding } from '#settings';

type OrganizationBrandingsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  branding: Json<Partial<OrganizationBranding>>;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    organization_brandings: OrganizationBrandingsTable;
  }
}

const { logoUrl, accentColor, backgroundColor } = Branding.properties;
const fields = {
  name: nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      // Control characters, and those that change the direction of text, could make a page read differently.
      pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Zl}\\p{Zp}\\u202A-\\u202E\\u2066-\\u2069]+$',
      description: 'Shown on top of pages and mails, and in the titles of pages.',
    }),
  ),
  logoUrl,
  accentColor,
  backgroundColor,
};

/** What an organization shows in place of the project's branding; null stands for the project's. */
export const OrganizationBranding = Type.Object(fields, { title: 'OrganizationBranding' });
export type OrganizationBranding = Static<typeof OrganizationBranding>;
export const OrganizationBrandingChanges = Type.Partial(Type.Object(fields), {
  additionalProperties: false,
  minProperties: 1,
});

/** The branding of an organization that replaces nothing of the project's. */
export const NO_BRANDING: OrganizationBranding = {
  name: null,
  logoUrl: null,
  accentColor: null,
  backgroundColor: null,
};

/** The branding of an organization that is known to exist. Served by the primary key. */
export async function readBranding(
  ctx: Pick<Ctx, 'db' | 'scope'> | TxCtx,
  id: OrganizationId,
): Promise<OrganizationBranding> {
  const row = await ctx.db
    .selectFrom('organization_brandings')
    .select('branding')
    .where(inScope(ctx))
    .where('organization_id', '=', id)
    .executeTakeFirst();
  return { ...NO_BRANDING, ...row?.branding };
}

/** Changes the branding of an organization, which the caller has locked. Effective in every process at once. */
export async function changeBranding(
  tx: TxCtx,
  id: OrganizationId,
  changes: Partial<OrganizationBranding>,
): Promise<OrganizationBranding> {
  const branding = { ...(await readBranding(tx, id)), ...changes };
  const values = { branding: JSON.stringify(branding), updated_at: tx.now };
  await tx.db
    .insertInto('organization_brandings')
    .values({ ...scopeColumns(tx), organization_id: id, ...values })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'project_id', 'environment', 'organization_id']).doUpdateSet(values),
    )
    .execute();
  await announce(tx, { topic: 'organization-branding', key: id });
  return branding;
}

type InOrganization = { scope: Scope; organizationId: OrganizationId };

/** {@link readBranding} for pages and mails. Without a row: the project's. */
export const knownBranding = feedCache({
  topics: ['organization-branding'],
  drops: ({ key: id }, key) => id === '*' || key.endsWith(`/${id}`),
  keyOf: ({ scope: { workspaceId, projectId, environment }, organizationId }: InOrganization) =>
    `${workspaceId}/${projectId}/${environment}/${organizationId}`,
  load: (system, { scope, organizationId }) => readBranding({ db: system.lookups, scope }, organizationId),
  max: 10_000,
});

import { hash as digest } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import type { Ctx, Environment, Scope, TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import { type Id, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { System, SystemInTx } from '#platform/system.ts';
import { readImage } from './image-files.ts';

export type BrandingImageId = Id<'img'>;

/** What an image is for. */
export const ImageUse = Type.Enum(['logo', 'darkLogo', 'favicon']);
export type ImageUse = Static<typeof ImageUse>;

type BrandingImagesTable = {
  workspace_id: WorkspaceId;
  id: BrandingImageId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId | null;
  use: ImageUse;
  hash: string;
  type: string;
  width: number;
  height: number;
  content: Buffer;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    branding_images: BrandingImagesTable;
  }
}

export const ImageRef = Type.Object({ use: ImageUse });
export const ImageUpload = Type.Object(
  {
    content: Type.String({
      minLength: 1,
      maxLength: 360_000,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description:
        'A PNG, JPEG, WebP or ICO image in base64, with up to 256 KiB and 16 to 2,048 pixels in width and height. Its content says what it is. SVG is refused, because it can hold scripts.',
    }),
  },
  { additionalProperties: false },
);

const Image = nullable(
  Type.Object({
    url: Type.String({ format: 'uri', description: 'Changes with the content, and never shows other content.' }),
    type: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    bytes: Type.Integer(),
  }),
);

/** The uploaded images of a project environment or organization. */
export const BrandingImages = Type.Object(
  { logo: Image, darkLogo: Image, favicon: Image },
  { title: 'BrandingImages', description: 'Null: none is uploaded.' },
);
export type BrandingImages = Static<typeof BrandingImages>;

type Owner = { scope: Scope; organizationId: OrganizationId | null };

/** The uploaded images of a project or an organization that is known to exist. Served by the unique index. */
export async function readImages(
  ctx: (Pick<Ctx, 'db' | 'scope'> | TxCtx) & { system: SystemInTx },
  organizationId: OrganizationId | null,
): Promise<BrandingImages> {
  const rows = await ctx.db
    .selectFrom('branding_images')
    .select(({ fn }) => ['id', 'use', 'hash', 'type', 'width', 'height', fn<number>('length', ['content']).as('bytes')])
    .where(inScope(ctx))
    .where('organization_id', 'is not distinct from', organizationId)
    .execute();
  if (rows.length === 0) return { logo: null, darkLogo: null, favicon: null };
  const { routingKey } = await projectOf(ctx.system, ctx.scope);
  const { auth } = ctx.system.config.addresses[ctx.scope.environment];
  const of = (use: ImageUse) => {
    const row = rows.find((one) => one.use === use);
    if (row === undefined) return null;
    const { id, hash, type, width, height, bytes } = row;
    return { url: `${auth}${pathOf(routingKey, id, hash)}`, type, width, height, bytes };
  };
  return { logo: of('logo'), darkLogo: of('darkLogo'), favicon: of('favicon') };
}

/** The path of an image. The routing key says in which workspace it is, and the hash makes it cacheable for good. */
export function pathOf(routingKey: string, id: BrandingImageId, hash: string): string {
  return `/images/${routingKey}/${id}/${hash}`;
}

type Which = { organizationId: OrganizationId | null; use: ImageUse };

/**
 * Stores an image in place of an earlier one for the same use, or removes it. Effective in every process at once.
 * @param content in base64; null removes the image
 * @throws Problem VALIDATION_FAILED, NOT_FOUND if there is none to remove
 */
export async function changeImage(tx: TxCtx, which: Which, content: string | null): Promise<BrandingImages> {
  if (content === null) await removeImage(tx, which);
  else await putImage(tx, which, content);
  await announce(tx, { topic: 'branding-images', key: which.organizationId ?? tx.scope.projectId });
  return readImages(tx, which.organizationId);
}

async function putImage(tx: TxCtx, { organizationId, use }: Which, base64: string): Promise<void> {
  const { content, ...measured } = readImage(base64);
  const values = { ...measured, content, hash: digest('sha256', content, 'base64url'), updated_at: tx.now };
  await tx.db
    .insertInto('branding_images')
    .values({ ...scopeColumns(tx), id: newId('img', tx.now), organization_id: organizationId, use, ...values })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'project_id', 'environment', 'organization_id', 'use']).doUpdateSet(values),
    )
    .execute();
}

async function removeImage(tx: TxCtx, { organizationId, use }: Which): Promise<void> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('branding_images')
    .where(inScope(tx))
    .where('organization_id', 'is not distinct from', organizationId)
    .where('use', '=', use)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw problem('NOT_FOUND');
}

/** {@link readImages} for pages and mails: the address of each image. */
export const knownImages = feedCache({
  topics: ['branding-images'],
  drops: ({ key: id }, key) => key.endsWith(`/${id}`),
  keyOf: ({ scope: { workspaceId, projectId, environment }, organizationId }: Owner) =>
    `${workspaceId}/${environment}/${organizationId ?? projectId}`,
  load: async (system, { scope, organizationId }) => {
    const images = await readImages({ system, db: system.lookups, scope }, organizationId);
    const { logo, darkLogo, favicon } = images;
    return { logo: logo?.url ?? null, darkLogo: darkLogo?.url ?? null, favicon: favicon?.url ?? null };
  },
  max: 10_000,
});

type Stored = Pick<BrandingImagesTable, 'hash' | 'type' | 'content'>;

/** An image by its id, without its project: the request for it names none. Served by the primary key. */
export function findImage(
  system: System,
  { workspaceId, environment, id }: { workspaceId: WorkspaceId; environment: Environment; id: BrandingImageId },
): Promise<(Stored & { projectId: ProjectId }) | undefined> {
  return system.db
    .selectFrom('branding_images')
    .select(['hash', 'type', 'content', 'project_id as projectId'])
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('id', '=', id)
    .executeTakeFirst();
}

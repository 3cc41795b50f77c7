import { emit } from '#events';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { del, get, put, type Routes } from '#platform/route.ts';
import { BrandingImages, changeImage, ImageRef, ImageUpload, type ImageUse, readImages } from './images.ts';

const PATH = '/v1/admin/branding/images';

/** The logo, the logo for the dark theme and the icon of a project environment. */
export const brandingImageRoutes: Routes = [
  get(PATH, {
    permission: 'settings:read',
    summary: 'Read the uploaded images of the branding',
    responses: { 200: BrandingImages },
    etag: true,
    handler: ({ ctx }) => readImages(ctx, null),
  }),
  put(`${PATH}/:use`, {
    changes: PATH,
    permission: 'settings:write',
    stepUp: true,
    summary: 'Upload an image of the branding',
    description:
      'Shown on hosted pages, the status page and in mails in place of `branding.logoUrl`: `darkLogo` in the dark theme, if there is a logo; `favicon` in the tabs of browsers.',
    params: ImageRef,
    body: ImageUpload,
    responses: { 200: BrandingImages },
    handler: ({ ctx, params: { use }, body: { content } }) => changeProjectImage(ctx, use, content),
  }),
  del(`${PATH}/:use`, {
    changes: PATH,
    permission: 'settings:write',
    stepUp: true,
    summary: 'Remove an image of the branding',
    params: ImageRef,
    responses: { 200: BrandingImages },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params: { use } }) => changeProjectImage(ctx, use, null),
  }),
];

function changeProjectImage(ctx: Ctx, use: ImageUse, content: string | null): Promise<BrandingImages> {
  return transaction(ctx, async (tx) => {
    await emit(tx, 'project.branding.changed', { fields: [use] });
    return changeImage(tx, { organizationId: null, use }, content);
  });
}

import { Type } from 'typebox';
import { type Brand, brandFrom, type OrganizationBranding } from '#branding';
import { projectOf } from '#environments';
import { signInPreview } from '#hosted';
import { previewMessage } from '#messages';
import { getOrganization, OrganizationRef } from '#organizations';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { get, type Routes } from '#platform/route.ts';
import { type Branding, languages, Settings } from '#settings';

const none = 'Empty: none. Absent: the saved value.';
const Colour = Type.Optional(Type.String({ pattern: '^(#[0-9a-f]{6})?$', description: none }));

const scope = {
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production', 'prod']),
};
const look = {
  logoUrl: Type.Optional(Type.String({ maxLength: 2_048, pattern: '^(https?://\\S+)?$', description: none })),
  accentColor: Colour,
  backgroundColor: Colour,
};

const PreviewQuery = Type.Object({
  ...scope,
  ...look,
  locale: Type.Enum([...languages], { default: 'en' }),
  radius: Type.Optional(Type.Integer({ minimum: 0, maximum: 24 })),
  text: Type.Optional(Type.String({ maxLength: 500, description: none })),
  signInLayout: Type.Optional(Settings.properties.signInLayout),
});

const OrganizationPreviewQuery = Type.Object({
  ...scope,
  ...look,
  name: Type.Optional(Type.String({ maxLength: 100, description: none })),
  show: Type.Enum(['page', 'mail'], {
    default: 'page',
    description: 'The sign-in page, or the mail of an invitation.',
  }),
});

/** Previews of what customers will see. */
export const previewRoutes: Routes = [
  get('/console/v1/branding/preview', {
    permission: 'settings:read',
    scopeIn: 'query',
    summary: 'Preview the sign-in page',
    description: 'The real page with unsaved branding, as HTML for a frame of the console.',
    query: PreviewQuery,
    responses: { 200: { description: 'The page.', content: { 'text/html': { schema: Type.String() } } } },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { locale, signInLayout, workspaceId: _w, projectId: _p, environment: _e, ...changed } = request.query;
      const { document, headers } = await signInPreview(request, reply, {
        locale,
        settings: signInLayout === undefined ? {} : { signInLayout },
        branding: changesIn(changed),
      });
      return reply.headers(headers).serializer(String).send(document);
    },
  }),
  get('/console/v1/organizations/:organizationId/branding/preview', {
    permission: 'organizations:read',
    scopeIn: 'query',
    summary: 'Preview the branding of an organization',
    description: 'The real sign-in page or invitation with unsaved branding, as HTML for a frame of the console.',
    params: OrganizationRef,
    query: OrganizationPreviewQuery,
    responses: { 200: { description: 'The page or mail.', content: { 'text/html': { schema: Type.String() } } } },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { ctx, params, query } = request;
      await getOrganization(ctx, params.organizationId);
      const { name = '', logoUrl = '', accentColor = '', backgroundColor = '', show } = query;
      const organization: OrganizationBranding = {
        ...{ name: name || null, logoUrl: logoUrl || null },
        ...{ accentColor: accentColor || null, backgroundColor: backgroundColor || null },
      };
      const { document, headers } =
        show === 'mail'
          ? await invitationPreview(ctx, organization)
          : await signInPreview(request, reply, { locale: null, settings: {}, branding: {}, organization });
      return reply.headers(headers).serializer(String).send(document);
    },
  }),
];

/** The changes in the query; empty texts count as none. */
function changesIn(changed: Partial<Record<keyof Branding, string | number>>): Partial<Branding> {
  return Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value === '' ? null : value]));
}

/** The mail of an invitation to an organization with this branding. */
async function invitationPreview(ctx: Ctx, organization: OrganizationBranding) {
  const { settings, projectName } = await projectOf(ctx.system, ctx.scope);
  const brand = brandFrom({ name: projectName, branding: settings.branding }, organization);
  const ref = { template: 'invitation', locale: settings.defaultLanguage } as const;
  const { html } = await previewMessage(ctx, ref, {}, brand);
  return { document: html ?? '', headers: mailGuards(brand) };
}

/** Mails have inline styles, so a frame of a mail permits these. */
function mailGuards({ logoUrl }: Brand) {
  const images = logoUrl === null ? "'none'" : new URL(logoUrl).origin;
  return {
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; base-uri 'none'; frame-ancestors 'self'; sandbox`,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'SAMEORIGIN',
  };
}

import { inflateRawSync } from 'node:zlib';
import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { accountPages, previewAccountPage } from '#account';
import { type Brand, imageOrigins, OrganizationBranding } from '#branding';
import { hostedPages, type PreviewWish, previewed, previewHostedPage } from '#hosted';
import { previewMessage, TemplateId } from '#messages';
import { getOrganization, OrganizationRef } from '#organizations';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema, type OrganizationId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { Branding, languages, Settings } from '#settings';

const MAX_DRAFT = 65_536;

/** Unsaved changes. What is absent is as it was saved. */
const Draft = Type.Object(
  {
    branding: Type.Optional(Type.Partial(Branding, { additionalProperties: false })),
    signInLayout: Type.Optional(Settings.properties.signInLayout),
    organization: Type.Optional(OrganizationBranding),
  },
  { additionalProperties: false },
);

const PreviewQuery = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production', 'prod']),
  page: Type.Optional(Type.Enum([...hostedPages, ...accountPages], { description: 'The page; by default the first.' })),
  message: Type.Optional(TemplateId),
  theme: Type.Enum(['light', 'dark'], { default: 'light' }),
  locale: Type.Optional(Type.Enum([...languages], { description: 'Absent: the default language of the project.' })),
  draft: Type.Optional(
    Type.String({
      maxLength: 12_000,
      pattern: '^[A-Za-z0-9_-]*$',
      description:
        'Unsaved changes: JSON with `branding`, `signInLayout` or `organization`, deflated (RFC 1951), in base64url.',
    }),
  ),
});

const shown = {
  responses: { 200: { description: 'The page or mail.', content: { 'text/html': { schema: Type.String() } } } },
} as const;

/** Previews of what customers will see: every hosted page and every message, with unsaved branding. */
export const previewRoutes: Routes = [
  get('/console/v1/branding/preview', {
    permission: 'settings:read',
    scopeIn: 'query',
    summary: 'Preview a hosted page or a message',
    description: 'The real page or message with sample data and unsaved branding, as HTML for a frame of the console.',
    query: PreviewQuery,
    ...shown,
    problems: ['NOT_FOUND'],
    handler: (request, reply) => preview({ request, reply }, request.query, null),
  }),
  get('/console/v1/organizations/:organizationId/branding/preview', {
    permission: 'organizations:read',
    scopeIn: 'query',
    summary: 'Preview the branding of an organization',
    description: 'A hosted page or a message as people of the organization see it, with unsaved branding.',
    params: OrganizationRef,
    query: PreviewQuery,
    ...shown,
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { organizationId } = request.params;
      await getOrganization(request.ctx, organizationId);
      return preview({ request, reply }, request.query, organizationId);
    },
  }),
];

type Arrival = { request: Request; reply: Reply };

async function preview(
  arrival: Arrival,
  { page, message, theme, locale, draft }: Static<typeof PreviewQuery>,
  organizationId: OrganizationId | null,
): Promise<Reply> {
  const { branding = {}, signInLayout, organization } = draftOf(draft);
  const wish: PreviewWish = {
    theme,
    locale: locale ?? null,
    settings: signInLayout === undefined ? {} : { signInLayout },
    branding,
    organization:
      organizationId === null ? null : { id: organizationId, ...(organization && { branding: organization }) },
  };
  if (message !== undefined) return previewOfMessage(arrival, message, wish);
  const isOfAccount = (name: string): name is (typeof accountPages)[number] =>
    accountPages.some((known) => known === name);
  const name = page ?? 'sign-in';
  return isOfAccount(name) ? previewAccountPage(arrival, name, wish) : previewHostedPage(arrival, name, wish);
}

/** @throws Problem VALIDATION_FAILED for what is no draft */
function draftOf(packed: string | undefined): Static<typeof Draft> {
  if (packed === undefined) return {};
  try {
    const json = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: MAX_DRAFT }).toString();
    return Value.Parse(Draft, JSON.parse(json));
  } catch {
    const errors = [{ pointer: '/query/draft', message: 'must be a draft of a branding' }];
    throw problem('VALIDATION_FAILED', { extensions: { errors } });
  }
}

async function previewOfMessage(
  { request, reply }: Arrival,
  template: Static<typeof TemplateId>,
  wish: PreviewWish,
): Promise<Reply> {
  const { voice } = await previewed(request, wish);
  const message = await previewMessage(request.ctx, { template, locale: voice.language }, {}, voice.brand);
  // A text message has no page of its own.
  const document =
    message.html ??
    String(
      html`<!doctype html><html lang="${voice.language}"><title>${template}</title><body style="font:16px/1.5 sans-serif;max-width:26rem;margin:2rem auto;padding:0 1rem;white-space:pre-line" dir="auto">${message.text}</body></html>`,
    );
  return reply.headers(mailGuards(voice.brand)).serializer(String).send(document);
}

/** Mails have inline styles, so a frame of a mail permits these. */
function mailGuards(brand: Brand) {
  const images = imageOrigins(brand).join(' ') || "'none'";
  return {
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; base-uri 'none'; frame-ancestors 'self'; sandbox`,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
  };
}

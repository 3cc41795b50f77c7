import { type Static, Type } from 'typebox';
import { brandOf } from '#branding';
import { emit } from '#events';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { newestFirst, PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { del, get, post, put, type Routes } from '#platform/route.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { type Language, languages } from '#settings';
import { messageStatuses, ownText } from './messages.ts';
import { checkText, previewMessage, type TemplateRef } from './previews.ts';
import { builtInTexts } from './render.ts';
import { TemplateId, TemplateText, templateIds, templates, variablesOf } from './templates.ts';

const LanguageParam = Type.Enum([...languages]);
const TemplateParams = Type.Object({ template: TemplateId, locale: LanguageParam });

const Template = Type.Object(
  {
    template: TemplateId,
    locale: LanguageParam,
    channel: Type.Enum(['email', 'sms'], { description: 'A text message (`sms`) has no subject.' }),
    custom: Type.Boolean({ description: 'False for the built-in text.' }),
    variables: Type.Array(Type.String()),
    ...TemplateText.properties,
  },
  { title: 'MessageTemplate' },
);

const Preview = Type.Object({
  subject: Type.String(),
  text: Type.String(),
  html: Type.Union([Type.String(), Type.Null()]),
});

const instant = nullable(Instant);

/** The delivery state of a message. Its text is private. */
const Message = Type.Object({
  id: IdSchema('msg'),
  channel: Type.Enum(['email', 'sms']),
  to: Type.String(),
  template: Type.String(),
  status: Type.Enum([...messageStatuses]),
  attempts: Type.Integer(),
  provider: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  createdAt: instant,
  sentAt: instant,
});

const TemplateQuery = Type.Object({ ...PageQuery.properties, locale: Type.Optional(LanguageParam) });

export const messageRoutes: Routes = [
  get('/v1/admin/messages', {
    permission: 'settings:read',
    summary: 'List sent messages',
    description: 'Mails and text messages with their delivery state, newest first.',
    query: PageQuery,
    responses: { 200: PageOf(Message) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listMessages(request.ctx, request.query),
  }),
  get('/v1/admin/settings/messages', {
    permission: 'settings:read',
    summary: 'List message templates',
    query: TemplateQuery,
    responses: { 200: PageOf(Template) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query }) => pageOfTemplates(ctx, query),
  }),
  get('/v1/admin/settings/messages/:template/:locale', {
    permission: 'settings:read',
    etag: true,
    summary: 'Read a message template',
    params: TemplateParams,
    responses: { 200: Template },
    handler: (request) => getTemplate(request.ctx, request.params),
  }),
  put('/v1/admin/settings/messages/:template/:locale', {
    permission: 'settings:write',
    stepUp: true,
    summary: 'Replace a message template',
    params: TemplateParams,
    body: TemplateText,
    responses: { 200: Template },
    handler: (request) => replaceTemplate(request.ctx, request.params, request.body),
  }),
  del('/v1/admin/settings/messages/:template/:locale', {
    permission: 'settings:write',
    stepUp: false,
    summary: 'Restore the built-in template',
    params: TemplateParams,
    responses: { 204: Type.Null() },
    handler: (request) => deleteTemplate(request.ctx, request.params),
  }),
  post('/v1/admin/settings/messages/:template/:locale/preview', {
    permission: 'settings:read',
    stepUp: false,
    summary: 'Preview a message template',
    description: 'Renders a text with sample values; without a body, the current text.',
    params: TemplateParams,
    body: Type.Partial(TemplateText, { additionalProperties: false }),
    responses: { 200: Preview },
    silent: 'it changes nothing',
    handler: async ({ ctx, params, body }) =>
      previewMessage(ctx, params, body, await brandOf(ctx.system, ctx.scope, null)),
  }),
];

async function listMessages(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>) {
  const query = ctx.db
    .selectFrom('messages')
    .select([
      'id',
      'channel',
      'recipient',
      'template',
      'status',
      'attempts',
      'provider',
      'error',
      'created_at',
      'sent_at',
    ])
    .where(inScope(ctx));
  const page = await newestFirst(ctx, query, { list: 'messages', limit, cursor });
  const items = page.rows.map(({ recipient, created_at: created, sent_at: sent, ...row }) => ({
    ...row,
    to: recipient,
    createdAt: created.toISOString(),
    sentAt: sent?.toISOString() ?? null,
  }));
  return { items, nextCursor: page.nextCursor };
}

async function pageOfTemplates(ctx: Ctx, query: Static<typeof TemplateQuery>) {
  const list = JSON.stringify(['message-templates', query.locale]);
  const all = await listTemplates(ctx, query.locale);
  return pageOfWhole(ctx, all, { list, query, positionOf: (_, index) => [index] });
}

async function listTemplates(ctx: Ctx, locale?: Language): Promise<Static<typeof Template>[]> {
  const rows = await ctx.db
    .selectFrom('message_templates')
    .select(['template', 'locale', 'subject', 'body', 'action'])
    .where(inScope(ctx))
    .execute();
  return languages
    .filter((language) => locale === undefined || language === locale)
    .flatMap((language) =>
      templateIds.map((template) => {
        const own = rows.find((row) => row.template === template && row.locale === language);
        return described({ template, locale: language }, own ?? builtInTexts[language][template], own !== undefined);
      }),
    );
}

/** The project's own text, or the built-in text. */
async function getTemplate(ctx: Ctx, ref: TemplateRef): Promise<Static<typeof Template>> {
  const own = await ownText(ctx, ref.template, ref.locale);
  return described(ref, own ?? builtInTexts[ref.locale][ref.template], own !== undefined);
}

function described(
  { template, locale }: TemplateRef,
  { subject, body, action }: Static<typeof TemplateText>,
  custom: boolean,
) {
  const { channel } = templates[template];
  return { template, locale, channel, custom, variables: [...variablesOf(template)], subject, body, action };
}

async function replaceTemplate(ctx: Ctx, ref: TemplateRef, text: Static<typeof TemplateText>) {
  checkText(ref, text);
  await transaction(ctx, async (tx) => {
    await tx.db
      .insertInto('message_templates')
      .values({ ...scopeColumns(tx), ...ref, ...text, updated_at: tx.now })
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'project_id', 'environment', 'template', 'locale'])
          .doUpdateSet({ ...text, updated_at: tx.now }),
      )
      .execute();
    await emit(tx, 'project.settings.updated', { changed: [`messages.${ref.template}.${ref.locale}`] });
  });
  return described(ref, text, true);
}

async function deleteTemplate(ctx: Ctx, ref: TemplateRef): Promise<void> {
  await transaction(ctx, async (tx) => {
    await tx.db
      .deleteFrom('message_templates')
      .where(inScope(tx))
      .where('template', '=', ref.template)
      .where('locale', '=', ref.locale)
      .execute();
    await emit(tx, 'project.settings.updated', { changed: [`messages.${ref.template}.${ref.locale}`] });
  });
}

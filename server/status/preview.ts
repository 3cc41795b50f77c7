import { type Static, Type } from 'typebox';
import { brandOf } from '#branding';
import { previewMessage } from '#messages';
import { pageAddressOf } from './addresses.ts';
import { languagesOf } from './boards.ts';
import { type ChatMessage, isChat } from './chat.ts';
import { noticeInChat, pageNameOf } from './chat-messages.ts';
import { ComponentIds, readComponents, requireComponents } from './components.ts';
import { Body, Title } from './incident-records.ts';
import { mailVariables, webhookBody } from './notice-messages.ts';
import { atItsDomain, inPage, type PageCtx } from './pages.ts';
import { type Channel, channels, isTold, membersTold } from './subscribers.ts';
import type { NoticeContent } from './updates.ts';
import { voiceIn } from './words.ts';

const Phase = Type.Enum([
  'investigating',
  'identified',
  'monitoring',
  'resolved',
  'scheduled',
  'in_progress',
  'verifying',
  'completed',
]);

export const NoticeDraft = Type.Object(
  {
    kind: Type.Enum(['incident', 'maintenance']),
    title: Title,
    body: Body,
    phase: Phase,
    severity: Type.Optional(Type.Union([Type.Enum(['minor', 'major', 'critical']), Type.Null()])),
    componentIds: Type.Optional(ComponentIds),
  },
  { additionalProperties: false },
);
export const NoticePreview = Type.Object({
  count: Type.Integer({ description: 'How many subscribers would be told.' }),
  messages: Type.Array(
    Type.Object({
      channel: Type.Enum([...channels]),
      count: Type.Integer(),
      subject: Type.Union([Type.String(), Type.Null()], { description: 'Of a mail; null for the others.' }),
      text: Type.String({ description: 'In the default language of the page. A webhook gets this JSON.' }),
    }),
    { description: 'The message of each channel.' },
  ),
});

/**
 * What subscribers would be told, and how many. Nothing is sent.
 * @throws Problem VALIDATION_FAILED for an unknown component
 */
export async function previewNotice(
  ctx: PageCtx,
  { kind, title, body, phase, severity = null, componentIds = [] }: Static<typeof NoticeDraft>,
): Promise<Static<typeof NoticePreview>> {
  await requireComponents(ctx, componentIds);
  const counts = await countByChannel(ctx, componentIds);
  const content: NoticeContent = { kind, title, body, phase, severity, at: ctx.now.toISOString() };
  const texts = await textsOf(ctx, content, componentIds);
  const messages = channels.map((channel) => ({ channel, count: counts.get(channel) ?? 0, ...texts(channel) }));
  return { count: messages.reduce((sum, { count }) => sum + count, 0), messages };
}

/** An unpublished page tells nobody. Served by status_subscribers_active. */
async function countByChannel(ctx: PageCtx, componentIds: readonly string[]): Promise<Map<Channel, number>> {
  if (!ctx.page.published) return new Map();
  if (ctx.page.audience === 'members') {
    const told = Map.groupBy(await membersTold(ctx, componentIds), ({ channel }) => channel);
    return new Map([...told].map(([channel, rows]) => [channel, rows.length]));
  }
  const rows = await ctx.db
    .selectFrom('status_subscribers')
    .select(({ fn }) => ['channel', fn.countAll<string>().as('count')])
    .where(inPage(ctx.page))
    .where(isTold(componentIds))
    .groupBy('channel')
    .execute();
  return new Map(rows.map(({ channel, count }) => [channel, Number(count)]));
}

type Text = { subject: string | null; text: string };

async function textsOf(
  ctx: PageCtx,
  content: NoticeContent,
  componentIds: readonly string[],
): Promise<(channel: Channel) => Text> {
  const { system, scope } = ctx;
  const { standard } = await languagesOf(ctx);
  const voice = voiceIn(standard);
  const names = new Map((await readComponents(ctx)).map(({ id, name }) => [id, name]));
  const components = componentIds.map((id) => names.get(id) ?? voice.nameOf(id)).join(', ');
  const links = {
    link: pageAddressOf(system, await atItsDomain(system, ctx.page)),
    unsubscribe: `${system.config.addresses.status}/…`,
  };
  const ref = {
    template: 'status_notice',
    locale: standard,
    variables: mailVariables({ content, components, ...links }),
  } as const;
  const mail = await previewMessage(ctx, ref, {}, await brandOf(system, scope, null));
  const name = await pageNameOf(ctx);
  return (channel) => {
    if (channel === 'email') return { subject: mail.subject, text: mail.text };
    if (isChat(channel))
      return { subject: null, text: plain(noticeInChat({ voice, name, content, components, ...links })) };
    const id = content.kind === 'incident' ? 'inc_…' : 'mnt_…';
    const json = webhookBody({ id, environment: scope.environment, content, componentIds, ...links });
    return { subject: null, text: JSON.stringify(json, null, 2) };
  };
}

/** The text of a message, without its format. */
function plain({ title, about, text, facts, links }: ChatMessage): string {
  const named = facts.map((fact) => `${fact.name}: ${fact.value}`);
  return [title, about, '', text, '', ...named, links.map(({ label }) => label).join(' · ')].join('\n');
}

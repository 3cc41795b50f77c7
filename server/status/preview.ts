import { type Static, Type } from 'typebox';
import { priceOfSegments, segmentsOf } from '#billing';
import { brandOf } from '#branding';
import { previewMessage } from '#messages';
import { pageAddressOf } from './addresses.ts';
import { languagesOf, sendsTexts } from './boards.ts';
import { type ChatMessage, isChat } from './chat.ts';
import { noticeInChat, pageNameOf } from './chat-messages.ts';
import { ComponentIds, readComponents, requireComponents } from './components.ts';
import { Body, Title } from './incident-records.ts';
import { mailVariables, webhookBody } from './notice-messages.ts';
import { atItsDomain, inPage, type PageCtx } from './pages.ts';
import { type Channel, channels, channelsOf, isTold, membersTold } from './subscribers.ts';
import { fitting, noticeText } from './texts.ts';
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
const TextsPrice = Type.Object(
  {
    segments: Type.Integer({ description: 'Of all text messages together, if each is like the one shown.' }),
    left: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The segments that the period has left; those who get none then are told nothing. Null: no limit.',
    }),
    cost: Type.Integer({ description: 'Minor units, beyond what the tier includes.' }),
    currency: Type.Union([Type.String(), Type.Null()], { description: 'Null where messages cost nothing.' }),
  },
  { title: 'StatusTextsPrice' },
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
  texts: Type.Union([TextsPrice, Type.Null()], {
    description: 'What text messages take of the SMS add-on; null for a page that sends none.',
  }),
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
  const sms = await sendsTexts(ctx);
  const counts = await countByChannel(ctx, { componentIds, sms });
  const content: NoticeContent = { kind, title, body, phase, severity, at: ctx.now.toISOString() };
  const texts = await textsOf(ctx, content, componentIds);
  const messages = channelsOf(sms).map((channel) => ({ channel, count: counts.get(channel) ?? 0, ...texts(channel) }));
  const count = messages.reduce((sum, one) => sum + one.count, 0);
  return { count, messages, texts: sms ? await priceOf(ctx, messages) : null };
}

/** An unpublished page tells nobody. Served by status_subscribers_active. */
async function countByChannel(
  ctx: PageCtx,
  { componentIds, sms }: { componentIds: readonly string[]; sms: boolean },
): Promise<Map<Channel, number>> {
  if (!ctx.page.published) return new Map();
  if (ctx.page.audience === 'members') {
    const told = Map.groupBy(await membersTold(ctx, componentIds, sms), ({ channel }) => channel);
    return new Map([...told].map(([channel, rows]) => [channel, rows.length]));
  }
  const rows = await ctx.db
    .selectFrom('status_subscribers')
    .select(({ fn }) => ['channel', fn.countAll<string>().as('count')])
    .where(inPage(ctx.page))
    .where(isTold(componentIds, sms))
    .groupBy('channel')
    .execute();
  return new Map(rows.map(({ channel, count }) => [channel, Number(count)]));
}

/** What the text messages take of the add-on, counted by the one that is shown. */
async function priceOf(
  ctx: PageCtx,
  messages: readonly { channel: Channel; count: number; text: string }[],
): Promise<Static<typeof TextsPrice>> {
  const message = messages.find(({ channel }) => channel === 'sms');
  const segments = message ? message.count * segmentsOf(message.text).segments : 0;
  const price = await priceOfSegments(ctx, segments);
  return { segments, left: price?.left ?? null, cost: price?.cost ?? 0, currency: price?.currency ?? null };
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
  const short = await fitting(ctx)({ title: content.title, phase: voice.say(content.phase) }, standard);
  const texted = await noticeText(ctx, short, standard);
  return (channel) => {
    if (channel === 'email') return { subject: mail.subject, text: mail.text };
    if (channel === 'sms') return { subject: null, text: texted };
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

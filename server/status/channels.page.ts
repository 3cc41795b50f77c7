import { raw } from 'hono/html';
import { type Static, Type } from 'typebox';
import type { ChatKind } from '#platform/config-chat.ts';
import { type Html, html } from '#platform/html.ts';
import type { Reply } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { Problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { pathOn } from './addresses.ts';
import { linksToChannels } from './channel-links.ts';
import { aboutChat, isChat } from './chat.ts';
import { takeTurn } from './doors.ts';
import { someComponents } from './page-body.ts';
import { Chosen, guarded, listOf, panel, type Visit } from './panel.ts';
import { PageQueryOfStatus } from './status.page.ts';
import { type Channel, channels } from './subscribers.ts';
import { subscribe } from './subscriptions.ts';
import { momentOn } from './summary.public.ts';
import { namesOf } from './view.ts';
import { visitorCtx } from './visitors.ts';
import type { Voice } from './words.ts';

const ChannelQuery = Type.Interface([PageQueryOfStatus], {
  channel: Type.Optional(Type.Enum([...channels])),
});
const SubscribeForm = Type.Object({
  channel: Type.Optional(Type.Enum([...channels])),
  address: Type.Optional(Type.String({ maxLength: 2_048 })),
  /** The form of earlier versions has this field. */
  email: Type.Optional(Type.String({ maxLength: 254 })),
  website: Type.Optional(Type.String({ maxLength: 200 })),
  componentIds: Chosen,
});
type SubscribeForm = Static<typeof SubscribeForm>;

/** Where the services say how a webhook is created. */
const HOW: Readonly<Record<ChatKind, string>> = {
  slack: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  teams:
    'https://support.microsoft.com/office/create-incoming-webhooks-with-workflows-for-microsoft-teams-8ae491c7-0394-4861-ba59-055e33f75498',
  discord: 'https://support.discord.com/hc/articles/228383668-Intro-to-Webhooks',
};

/** A form for each channel, and the route that takes all of them. */
export const statusChannelRoutes: Routes = [
  get('/status/subscribe', {
    permission: 'public',
    query: ChannelQuery,
    handler: (request, reply) =>
      guarded(request, reply, async (visit) => form(visit, { channel: request.query.channel ?? 'email' })),
  }),
  post('/status/subscribe', {
    permission: 'public',
    counted: { uncounted: 'it has its own, smaller limit per source' },
    query: PageQueryOfStatus,
    body: SubscribeForm,
    attachValidation: true,
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, (visit) => {
        const invalid = request.validationError !== undefined;
        return subscribed(visit, invalid ? {} : request.body);
      }),
  }),
];

type Form = { channel: Channel; address?: string; componentIds?: readonly string[]; fault?: string };

async function subscribed(visit: Visit, { channel = 'email', componentIds, ...given }: SubscribeForm): Promise<Reply> {
  const { request, voice, page } = visit;
  const address = (given.address ?? given.email ?? '').trim();
  const entered = { channel, address, componentIds: listOf(componentIds) };
  const ctx = await visitorCtx(request, page);
  await takeTurn(ctx, 'status-subscribe');
  try {
    // A honeypot: only programs fill in the invisible field.
    if (!given.website) await subscribe(ctx, entered);
  } catch (error) {
    if (error instanceof Problem && error.code === 'VALIDATION_FAILED')
      return form(visit, { ...entered, fault: voice.say(faultOn(page, channel)) });
    throw error;
  }
  return panel(visit, {
    title: voice.say('subscribe.sentTitle'),
    body: html`<p>${voice.say('subscribe.sent')}</p>`,
  });
}

/** On a page for members, mails go to the member's own addresses. */
function faultOn({ audience }: Visit['page'], channel: Channel): 'subscribe.own' | 'subscribe.wrong' {
  return audience === 'members' && channel === 'email' ? 'subscribe.own' : 'subscribe.wrong';
}

/** The form of one channel, again with what was entered if that was wrong. */
async function form(visit: Visit, { channel: asked, address = '', componentIds = [], fault }: Form): Promise<Reply> {
  const { request, voice, page, query } = visit;
  const { view } = await momentOn(request.server.system, page);
  const channel = view.channels.includes(asked) ? asked : 'email';
  const { say } = voice;
  const field = fieldOf(channel);
  const wrong = fault === undefined ? '' : raw(' aria-invalid="true" aria-describedby="fault"');
  return panel(visit, {
    title: say('subscribe.title'),
    status: fault === undefined ? 200 : 400,
    body: html`${fault === undefined ? '' : html`<p class="fault" id="fault" role="alert">${fault}</p>`}${introOf(channel, voice)}
<form method="post" action="${pathOn(page, '/status/subscribe')}${query}"><input type="hidden" name="channel" value="${channel}"><label>${say(field.label)}<input name="address" type="${field.type}" autocomplete="${field.autocomplete}" placeholder="${placeholderOf(channel)}" value="${address}" required maxlength="2048"${wrong}></label>
<div class="trap" aria-hidden="true"><label>Website<input name="website" tabindex="-1" autocomplete="off"></label></div>
${someComponents({ view, voice, nameOf: namesOf(view, voice) }, componentIds)}
<button>${say('subscribe.button')}</button></form>
${linksToChannels(voice, { view, current: channel })}`,
  });
}

type Field = {
  label: 'subscribe.email' | 'subscribe.phone' | 'subscribe.url' | 'way.chatAddress';
  type: 'email' | 'tel' | 'url';
  autocomplete: 'email' | 'tel' | 'off';
};

function fieldOf(channel: Channel): Field {
  if (channel === 'email') return { label: 'subscribe.email', type: 'email', autocomplete: 'email' };
  if (channel === 'sms') return { label: 'subscribe.phone', type: 'tel', autocomplete: 'tel' };
  return { label: channel === 'webhook' ? 'subscribe.url' : 'way.chatAddress', type: 'url', autocomplete: 'off' };
}

function placeholderOf(channel: Channel): string {
  if (isChat(channel)) return aboutChat(channel).example;
  if (channel === 'sms') return '+49 1512 3456789';
  return channel === 'webhook' ? 'https://example.com/status' : '';
}

function introOf(channel: Channel, { say }: Voice): Html {
  if (channel === 'email') return html`<p class="soft">${say('subscribe.intro')}</p>`;
  if (channel === 'sms') return html`<p class="soft">${say('way.smsIntro')}</p>`;
  if (!isChat(channel)) return html`<p class="soft">${say('way.webhookIntro')}</p>`;
  return html`<p class="soft">${say('way.chat', { service: aboutChat(channel).name })} <a href="${HOW[channel]}" rel="noreferrer">${say('way.how')}</a></p>`;
}

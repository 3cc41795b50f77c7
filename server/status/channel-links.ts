import { type Html, html } from '#platform/html.ts';
import { pathOn, queryOn } from './addresses.ts';
import { aboutChat, isChat } from './chat.ts';
import type { Channel } from './subscribers.ts';
import type { View } from './view.ts';
import type { Voice } from './words.ts';

/** What a channel is called on the page. */
function channelName(channel: Channel, { say }: Voice): string {
  if (isChat(channel)) return aboutChat(channel).name;
  if (channel === 'sms') return say('way.sms');
  return say(channel === 'email' ? 'subscribe.email' : 'way.webhook');
}

/**
 * Links to the forms of the channels.
 * @param current the channel of the form that is shown
 */
export function linksToChannels(
  voice: Voice,
  { view, current }: { view: Pick<View, 'page' | 'channels'>; current: Channel },
): Html {
  const { page, channels } = view;
  const address = (channel: Channel) =>
    `${pathOn(page, '/status/subscribe')}${queryOn(page, { lang: voice.language, channel })}`;
  const others = channels.filter((channel) => channel !== current);
  return html`<nav class="ways" aria-label="${voice.say('subscribe.ways')}">${others.map((channel) => html`<a href="${address(channel)}">${channelName(channel, voice)}</a>`)}</nav>`;
}

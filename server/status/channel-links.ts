import { type Html, html } from '#platform/html.ts';
import { pathOn, queryOn } from './addresses.ts';
import { aboutChat, isChat } from './chat.ts';
import type { StatusPage } from './pages.ts';
import { type Channel, channels } from './subscribers.ts';
import type { Voice } from './words.ts';

/** What a channel is called on the page. */
function channelName(channel: Channel, { say }: Voice): string {
  if (isChat(channel)) return aboutChat(channel).name;
  return say(channel === 'email' ? 'subscribe.email' : 'way.webhook');
}

/**
 * Links to the forms of the channels.
 * @param current the channel of the form that is shown
 */
export function linksToChannels(voice: Voice, { page, current }: { page: StatusPage; current: Channel }): Html {
  const address = (channel: Channel) =>
    `${pathOn(page, '/status/subscribe')}${queryOn(page, { lang: voice.language, channel })}`;
  const others = channels.filter((channel) => channel !== current);
  return html`<nav class="ways" aria-label="${voice.say('subscribe.ways')}">${others.map((channel) => html`<a href="${address(channel)}">${channelName(channel, voice)}</a>`)}</nav>`;
}

import { type Html, html } from '#platform/html.ts';
import { aboutChat, isChat } from './chat.ts';
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
export function linksToChannels(voice: Voice, { query, current }: { query: string; current: Channel }): Html {
  const join = query === '' ? '?' : '&';
  const others = channels.filter((channel) => channel !== current);
  return html`<nav class="ways" aria-label="${voice.say('subscribe.ways')}">${others.map((channel) => html`<a href="/status/subscribe${query}${join}channel=${channel}">${channelName(channel, voice)}</a>`)}</nav>`;
}

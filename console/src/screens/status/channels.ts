import { sentence } from '#ui/badge.tsx';

export const CHANNELS = ['email', 'sms', 'webhook', 'slack', 'teams', 'discord'] as const;
type Channel = (typeof CHANNELS)[number];

/** What a channel of subscribers is called. */
export function channelName(channel: Channel): string {
  if (channel === 'sms') return 'Text message';
  return channel === 'teams' ? 'Microsoft Teams' : sentence(channel);
}

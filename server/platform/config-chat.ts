import type { ConfigReader } from './config-reader.ts';

/** The chat services that take messages at the address of an incoming webhook. */
export const chatKinds = ['slack', 'teams', 'discord'] as const;
export type ChatKind = (typeof chatKinds)[number];

/** A server that takes the messages of a chat service, as Mattermost takes those of Slack. `host`: with the port, if it has one. */
export type ChatHost = { kind: ChatKind; host: string };

const HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/;

export function readChatHosts(reader: ConfigReader): ChatHost[] {
  const given = reader.list('LATCHKEY_STATUS_CHAT_HOSTS');
  const hosts = given.flatMap((item) => {
    const kind = chatKinds.find((one) => item.startsWith(`${one}:`));
    const host = kind && item.slice(kind.length + 1);
    return kind && host && HOST.test(host) ? [{ kind, host }] : [];
  });
  if (hosts.length < given.length)
    reader.fault(
      'LATCHKEY_STATUS_CHAT_HOSTS',
      'hosts with the service whose messages they take, separated by commas, such as slack:chat.example.com',
    );
  return hosts;
}

import { type ChatKind, chatKinds } from '#platform/config-chat.ts';
import { problem } from '#platform/problem.ts';
import type { SystemInTx } from '#platform/system.ts';

export function isChat(channel: string): channel is ChatKind {
  return chatKinds.some((kind) => kind === channel);
}

type Service = {
  name: string;
  example: string;
  /** True for a host of the service. */
  host: (name: string) => boolean;
  path: RegExp;
  /** The parameters of the query that belong to an address; null: all. */
  query: readonly string[] | null;
};

const endsIn = (suffixes: readonly string[]) => (host: string) => suffixes.some((suffix) => host.endsWith(suffix));
const isOneOf = (hosts: readonly string[]) => (host: string) => hosts.includes(host);

const services: Readonly<Record<ChatKind, Service>> = {
  slack: {
    name: 'Slack',
    example: 'https://hooks.slack.com/services/…',
    host: isOneOf(['hooks.slack.com', 'hooks.slack-gov.com']),
    path: /^\/services\/\w+\/\w+\/\w+$/,
    query: [],
  },
  teams: {
    name: 'Microsoft Teams',
    example: 'https://….api.powerplatform.com/…/workflows/…',
    // Workflows (new and old addresses), and connectors, which Microsoft is retiring.
    host: endsIn(['.api.powerplatform.com', '.logic.azure.com', '.webhook.office.com']),
    path: /^\/(?:[\w/-]*workflows\/[\w-]+\/triggers\/|webhookb2\/)/,
    query: null,
  },
  discord: {
    name: 'Discord',
    example: 'https://discord.com/api/webhooks/…',
    host: isOneOf(['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com']),
    path: /^\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+$/,
    // A webhook of a forum posts to one thread.
    query: ['thread_id'],
  },
};

/** What people call a chat service, and what its addresses look like. */
export function aboutChat(kind: ChatKind): Pick<Service, 'name' | 'example'> {
  return services[kind];
}

/**
 * The address of an incoming webhook, in the one form that is stored.
 * @throws Problem VALIDATION_FAILED for an address of another host
 */
export function chatAddress({ config }: SystemInTx, kind: ChatKind, typed: string): string {
  const { name, example, host, path, query } = services[kind];
  const url = URL.canParse(typed.trim()) ? new URL(typed.trim()) : null;
  if (url && config.statusChatHosts.some((own) => own.kind === kind && own.host === url.host)) return url.href;
  if (url?.protocol !== 'https:' || url.port !== '' || !host(url.hostname) || !path.test(url.pathname)) {
    const message = `is not the address of an incoming webhook of ${name}; expected one such as ${example}`;
    throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/url', message }] } });
  }
  if (query !== null)
    for (const parameter of [...url.searchParams.keys()])
      if (!query.includes(parameter)) url.searchParams.delete(parameter);
  url.hash = '';
  return url.href;
}

/** An address as people see it: the whole one lets everybody post to the channel. */
export function maskedAddress(address: string): string {
  return `${new URL(address).host}/…${address.slice(-4)}`;
}

/** A message to a channel: what happened, and links. */
export type ChatMessage = {
  title: string;
  /** A line below the title, such as the phase. */
  about: string;
  text: string;
  facts: readonly { name: string; value: string }[];
  links: readonly { label: string; url: string }[];
  /** As a number: 0xc0291f. */
  colour: number;
  at: string;
};

/** The body of the request that posts a message. */
export function chatBody(kind: ChatKind, message: ChatMessage): Record<string, unknown> {
  return BODIES[kind](message);
}

const BODIES: Readonly<Record<ChatKind, (message: ChatMessage) => Record<string, unknown>>> = {
  slack: slackBody,
  teams: teamsBody,
  discord: discordBody,
};

/** Shortens a text to a limit of characters (UTF-16, as the services count). */
function clipped(
  text: string,
  most: number,
  escaped: (character: string) => string = (character) => character,
): string {
  let result = '';
  for (const character of text) {
    const next = escaped(character);
    if (result.length + next.length > most - 1) return `${result}…`;
    result += next;
  }
  return result;
}

const SLACK_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escaped, nobody is mentioned: in Slack a mention is `<!channel>`. */
function slackText(text: string, most: number): string {
  return clipped(text, most, (character) => SLACK_ESCAPES[character] ?? character);
}

/** Block Kit: a header has 150 characters, a section 3,000, a field 2,000. */
function slackBody({ title, about, text, facts, links }: ChatMessage): Record<string, unknown> {
  const mrkdwn = (value: string) => ({ type: 'mrkdwn', text: value });
  const fields = facts.map(({ name, value }) => mrkdwn(`*${slackText(name, 200)}*\n${slackText(value, 1_700)}`));
  return {
    // What notifications show.
    text: slackText(about === '' ? title : `${title}: ${about}`, 3_000),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: clipped(title, 150), emoji: false } },
      {
        type: 'section',
        text: mrkdwn(about === '' ? slackText(text, 3_000) : `*${slackText(about, 400)}*\n${slackText(text, 2_500)}`),
      },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      {
        type: 'context',
        elements: [mrkdwn(links.map(({ label, url }) => `<${url}|${slackText(label, 100)}>`).join(' · '))],
      },
    ],
    unfurl_links: false,
  };
}

/** An Adaptive Card, the one format that workflows take. */
function teamsBody({ title, about, text, facts, links }: ChatMessage): Record<string, unknown> {
  const block = (value: string, most: number, style: Record<string, unknown> = {}) => ({
    type: 'TextBlock',
    text: clipped(value, most),
    wrap: true,
    ...style,
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(title, 300, { weight: 'Bolder', size: 'Medium' }),
            ...(about === '' ? [] : [block(about, 400, { isSubtle: true, spacing: 'None' })]),
            block(text, 8_000),
            ...(facts.length > 0
              ? [
                  {
                    type: 'FactSet',
                    facts: facts.map(({ name, value }) => ({ title: name, value: clipped(value, 2_000) })),
                  },
                ]
              : []),
          ],
          actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
        },
      },
    ],
  };
}

/** An embed: a title has 256 characters, a description 4,096, a field 1,024, all together 6,000. Nobody is mentioned. */
function discordBody({ title, about, text, facts, links, colour, at }: ChatMessage): Record<string, unknown> {
  const linked = links.map(({ label, url }) => `[${label}](${url})`).join(' · ');
  const head = about === '' ? '' : `**${clipped(about, 400)}**\n`;
  return {
    embeds: [
      {
        title: clipped(title, 256),
        ...(links[0] && { url: links[0].url }),
        description: `${head}${clipped(text, 2_400)}\n\n${linked}`,
        color: colour,
        fields: facts.map(({ name, value }) => ({ name: clipped(name, 256), value: clipped(value, 1_024) })),
        timestamp: at,
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

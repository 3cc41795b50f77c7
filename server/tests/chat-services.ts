import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const closed = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, { additionalProperties: false });
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** The blocks that incoming webhooks of Slack are sent here, with the limits of Block Kit. */
const mrkdwn = (most: number) => closed({ type: Type.Literal('mrkdwn'), text: text(most) });
const Slack = Compile(
  closed({
    text: text(40_000),
    unfurl_links: Type.Boolean(),
    blocks: Type.Array(
      Type.Union([
        closed({
          type: Type.Literal('header'),
          text: closed({ type: Type.Literal('plain_text'), text: text(150), emoji: Type.Boolean() }),
        }),
        closed({ type: Type.Literal('section'), text: mrkdwn(3_000) }),
        closed({ type: Type.Literal('section'), fields: Type.Array(mrkdwn(2_000), { minItems: 1, maxItems: 10 }) }),
        closed({ type: Type.Literal('context'), elements: Type.Array(mrkdwn(3_000), { minItems: 1, maxItems: 10 }) }),
      ]),
      { minItems: 1, maxItems: 50 },
    ),
  }),
);

/** The message with an Adaptive Card that workflows of Teams take. */
const Teams = Compile(
  closed({
    type: Type.Literal('message'),
    attachments: Type.Tuple([
      closed({
        contentType: Type.Literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: Type.Null(),
        content: closed({
          $schema: Type.Literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: Type.Literal('AdaptiveCard'),
          version: Type.Literal('1.4'),
          body: Type.Array(
            Type.Union([
              Type.Object({ type: Type.Literal('TextBlock'), text: text(28_000), wrap: Type.Literal(true) }),
              closed({
                type: Type.Literal('FactSet'),
                facts: Type.Array(closed({ title: text(1_000), value: text(28_000) }), { minItems: 1 }),
              }),
            ]),
            { minItems: 1 },
          ),
          actions: Type.Array(
            closed({
              type: Type.Literal('Action.OpenUrl'),
              title: text(1_000),
              url: Type.String({ format: 'uri' }),
            }),
            { maxItems: 6 },
          ),
        }),
      }),
    ]),
  }),
);

/** The execution of a webhook of Discord, with the limits of embeds. */
const Discord = Compile(
  closed({
    embeds: Type.Array(
      closed({
        title: text(256),
        url: Type.Optional(Type.String({ format: 'uri' })),
        description: text(4_096),
        color: Type.Integer({ minimum: 0, maximum: 0xffffff }),
        fields: Type.Array(closed({ name: text(256), value: text(1_024) }), { maxItems: 25 }),
        timestamp: Type.String({ format: 'date-time' }),
      }),
      { minItems: 1, maxItems: 10 },
    ),
    allowed_mentions: closed({ parse: Type.Array(Type.String(), { maxItems: 0 }) }),
  }),
);

type ChatResponse = { status: number; type?: string; body?: string; headers?: Record<string, string> };

/** How the services respond: to a message, to one they don't understand, and for an address they don't know. */
const services = {
  slack: {
    understands: Slack,
    taken: { status: 200, type: 'text/html', body: 'ok' },
    wrong: { status: 400, type: 'text/html', body: 'invalid_blocks' },
    unknown: { status: 404, type: 'text/html', body: 'no_service' },
  },
  teams: {
    understands: Teams,
    taken: { status: 202 },
    wrong: { status: 400, type: 'application/json', body: '{"error":{"code":"TriggerInputSchemaMismatch"}}' },
    unknown: { status: 404, type: 'application/json', body: '{"error":{"code":"WorkflowNotFound"}}' },
  },
  discord: {
    understands: Discord,
    taken: { status: 204 },
    wrong: { status: 400, type: 'application/json', body: '{"message":"Cannot send an empty message","code":50006}' },
    unknown: { status: 404, type: 'application/json', body: '{"message":"Unknown Webhook","code":10015}' },
  },
} as const;
type Kind = keyof typeof services;

type Posted = { status: number; headers: IncomingMessage['headers']; body: string };

/** A server that takes messages as Slack, Teams and Discord do, at `/<service>/<name>`. */
export async function startChatServices() {
  const posted = new Map<string, Posted[]>();
  const responses = new Map<string, ChatResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks).toString('utf8');
      const { status, type, body: said = '', headers = {} } = responses.get(path) ?? responseTo(path, request, body);
      posted.set(path, [...(posted.get(path) ?? []), { status, headers: request.headers, body }]);
      response.writeHead(status, { ...headers, ...(type && { 'content-type': type }) }).end(said);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    hosts: Object.keys(services)
      .map((kind) => `${kind}:${host}`)
      .join(','),
    addressOf: (kind: Kind, name: string) => `http://${host}/${kind}/${name}`,
    /** The messages to a channel, with the responses that they got. */
    at: (kind: Kind, name: string) => posted.get(`/${kind}/${name}`) ?? [],
    /** Sets the response of a channel from now on. */
    on: (kind: Kind, name: string, given: ChatResponse | 'unknown') =>
      responses.set(`/${kind}/${name}`, given === 'unknown' ? services[kind].unknown : given),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function responseTo(path: string, { method, headers }: IncomingMessage, body: string): ChatResponse {
  const service = Object.entries(services).find(([kind]) => path.startsWith(`/${kind}/`))?.[1];
  if (!service) return { status: 404 };
  const json = method === 'POST' && headers['content-type'] === 'application/json';
  return json && service.understands.Check(parsed(body)) ? service.taken : service.wrong;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

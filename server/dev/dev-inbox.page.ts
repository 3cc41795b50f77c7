import { Type } from 'typebox';
import { listInbox, messageStatuses, readInbox, type SentMessage } from '#messages';
import { html, sendPage, wantsPage } from '#platform/html.ts';
import { IdSchema } from '#platform/ids.ts';
import { get, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { consoleNav } from './start.page.ts';

const Message = Type.Object({
  id: IdSchema('msg'),
  channel: Type.Enum(['email', 'sms']),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum([...messageStatuses]),
  createdAt: Instant,
});

const MessageRef = Type.Object({ id: IdSchema('msg') });
const InboxQuery = Type.Object({
  to: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'The exact recipient.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  cursor: Type.Optional(IdSchema('msg')),
});

/**
 * All mails and text messages that Latchkey sent, for developers and their tests. Registered in development mode only.
 */
export const devInboxRoutes: Routes = [
  get('/dev/inbox', {
    permission: 'public',
    summary: 'List sent messages',
    description: 'Newest first. A browser gets a page. Development mode only.',
    query: InboxQuery,
    responses: {
      200: Type.Object({ items: Type.Array(Message), nextCursor: Type.Union([Type.String(), Type.Null()]) }),
    },
    handler: async (request, reply) => {
      const { system } = request.server;
      const { to, limit, cursor } = request.query;
      const found = await listInbox(system, { to: to ?? null, limit, cursor: cursor ?? null });
      if (!wantsPage(request.headers.accept)) return found;
      return sendPage(reply, { title: 'Dev inbox', nav: consoleNav(system), body: listPage(found.items, to ?? '') });
    },
  }),
  get('/dev/inbox/:id', {
    permission: 'public',
    summary: 'Read a sent message',
    params: MessageRef,
    responses: { 200: Message },
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { system } = request.server;
      const message = await readInbox(system, request.params.id);
      if (!wantsPage(request.headers.accept)) return message;
      return sendPage(reply, { title: message.subject, nav: consoleNav(system), body: messagePage(message) });
    },
  }),
  get('/dev/inbox/:id/html', {
    permission: 'public',
    params: MessageRef,
    handler: async (request, reply) => {
      const message = await readInbox(request.server.system, request.params.id);
      // Markup of mails is shown as in a mail program: no scripts, no forms, no origin of its own.
      return reply
        .header('content-security-policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        .type('text/html; charset=utf-8')
        .send(message.html ?? '');
    },
  }),
];

function listPage(items: readonly SentMessage[], to: string) {
  const rows = items.map(
    ({ id, to: recipient, subject, createdAt, status }) =>
      html`<li><a href="/dev/inbox/${id}"><strong>${subject}</strong><time class="soft" datetime="${createdAt}">${shortTime(createdAt)}</time><span class="soft">${recipient}</span><span class="soft">${status}</span></a></li>`,
  );
  const empty = to
    ? html`<p>Nothing was sent to <strong>${to}</strong>. <a href="/dev/inbox">Show all messages</a></p>`
    : html`<p>Nothing was sent yet. Register a customer where addresses are verified, for example in the production environment, and the mail with the code arrives here.</p>`;
  return html`<h1>Dev inbox</h1><p class="soft">Every mail and SMS that Latchkey sends in development mode. Programs read the same list as JSON.</p>
<form class="search" role="search"><label class="visually-hidden" for="to">Recipient</label><input id="to" type="search" name="to" value="${to}" placeholder="Recipient, for example ada@example.com"><button>Search</button></form>
<div class="card">${items.length > 0 ? html`<ul class="rows">${rows}</ul>` : empty}</div>`;
}

function messagePage({ id, to, subject, text, html: markup, channel, status, createdAt }: SentMessage) {
  return html`<p><a href="/dev/inbox">Dev inbox</a></p><h1>${subject}</h1>
<div class="card"><dl><dt>To</dt><dd>${to}</dd><dt>Sent</dt><dd><time datetime="${createdAt}">${shortTime(createdAt)} UTC</time></dd><dt>Channel</dt><dd>${channel}</dd><dt>State</dt><dd>${status}</dd></dl></div>
<div class="card"><pre>${text}</pre></div>
${markup === null ? '' : html`<div class="card"><h2>As HTML</h2><iframe title="The message as HTML" sandbox src="/dev/inbox/${id}/html"></iframe></div>`}`;
}

function shortTime(instant: string): string {
  return instant.slice(0, 19).replace('T', ' ');
}

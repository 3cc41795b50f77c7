import { html } from 'hono/html';
import type { UsableConnection } from '#connections';
import { type Page, renderPage, type Voice, voiceOf } from '#pages';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';

/** Where a page about a connection is shown. */
export type Here = { request: Request; reply: Reply; ctx: Ctx; connection: Pick<UsableConnection, 'organizationId'> };

/** Sends a page in the branding of the organization. */
export async function sendPage(
  { request, reply, ctx, connection }: Here,
  page: (say: Voice['say']) => Page,
): Promise<Reply> {
  const place = { scope: ctx.scope, organizationId: connection.organizationId };
  const voice = await voiceOf({ system: ctx.system, in: place, languages: request.trace.languages });
  const { document, headers } = renderPage(voice, page(voice.say));
  return reply.headers(headers).serializer(String).send(document);
}

/** A page whose form goes on to an identity provider: by itself with JavaScript, by its button without. */
export function sendForm(
  here: Here,
  { action, fields }: { action: string; fields: Readonly<Record<string, string>> },
): Promise<Reply> {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return sendPage(here, (say) => ({
    title: say('forwarding.title'),
    body: html`<form method="post" action="${action}" data-at-once><p>${say('forwarding.lead', { host: new URL(action).host })}</p>${inputs}<button>${say('forwarding.continue')}</button></form>`,
    leaves: true,
    script: true,
  }));
}

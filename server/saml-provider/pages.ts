import { html } from 'hono/html';
import type { Application } from '#applications';
import { type Page, renderPage, type Voice, voiceOf } from '#pages';
import type { Reply, Request } from '#platform/http.ts';

type Shown = { application: Application | null; status: number; page: (voice: Voice) => Page };

async function show(request: Request, reply: Reply, { application, status, page }: Shown): Promise<Reply> {
  const { system } = request.server;
  const scope = application ?? request.address.scope;
  const voice = await voiceOf({
    system,
    in: scope && { scope, organizationId: null },
    languages: request.trace.languages,
  });
  const { document, headers } = renderPage(voice, page(voice));
  return reply.code(status).headers(headers).serializer(String).send(document);
}

function hidden(fields: Readonly<Record<string, string>>) {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

type Sent = { application: Application; consumer: string; response: string; relayState: string | null };

/**
 * Sends a response by a form (SAML Bindings §3.5.4): at once, or with the button where there is no JavaScript. The
 * service provider may redirect to any other address, and browsers apply `form-action` to redirects.
 */
export function sendResponse(request: Request, reply: Reply, { application, ...sent }: Sent): Promise<Reply> {
  const { consumer, response, relayState } = sent;
  const fields = {
    SAMLResponse: Buffer.from(response).toString('base64'),
    ...(relayState !== null && { RelayState: relayState }),
  };
  return show(request, reply, {
    application,
    status: 200,
    page: ({ say }) => ({
      title: say('saml.title', { application: application.name }),
      body: html`<p class="lead">${say('saml.intro', { application: application.name })}</p>
<form method="post" action="${consumer}" data-at-once>${hidden(fields)}<button>${say('action.continue')}</button></form>`,
      leaves: true,
      script: true,
    }),
  });
}

/**
 * Explains a request that cannot be answered at the service provider.
 * @param detail for the administrator of the service provider; it says nothing but what the request said and what is
 * public
 */
export function showFault(
  request: Request,
  reply: Reply,
  { application, status, detail }: { application: Application | null; status: number; detail: string },
): Promise<Reply> {
  return show(request, reply, {
    application,
    status,
    page: ({ say }) => ({
      title: say('error.title'),
      body: html`<p>${say('error.intro')}</p><p class="hint">${detail}</p>
<p class="hint">${say('error.help')} <code>${request.trace.correlationId}</code></p>`,
    }),
  });
}

type Leaving = { application: Application; to: { url: string } | { action: string; fields: Record<string, string> } };

/** Sends the browser to an application, to log the person out there: by itself, or with the button. */
export async function showLeaving(request: Request, reply: Reply, { application, to }: Leaving): Promise<Reply> {
  if ('url' in to) reply.header('refresh', `0;url=${to.url}`);
  return show(request, reply, {
    application,
    status: 200,
    page: ({ say }) => ({
      title: say('logout.elsewhere', { application: application.name }),
      body: html`<p class="lead">${say('logout.leaving', { application: application.name })}</p>
${
  'url' in to
    ? html`<a class="button" href="${to.url}">${say('action.continue')}</a>`
    : html`<form method="post" action="${to.action}" data-at-once>${hidden(to.fields)}<button>${say('action.continue')}</button></form>`
}`,
      leaves: true,
      script: true,
    }),
  });
}

/** Says at which applications the person may be signed in still. */
export function showMissed(
  request: Request,
  reply: Reply,
  { application, names, url }: { application: Application | null; names: readonly string[]; url: string | null },
): Promise<Reply> {
  return show(request, reply, {
    application,
    status: 200,
    page: ({ say }) => ({
      title: say('logout.title'),
      body: html`<p class="done">${say('logout.done')}</p>${names.length > 0 ? html`<p class="fault" role="alert">${say('logout.missed', { names: names.join(', ') })}</p>` : ''}
${url === null ? '' : html`<a class="button" href="${url}">${say('action.continue')}</a>`}`,
    }),
  });
}

/** A sign-in that has ended or was begun in another browser. */
export function showDead(request: Request, reply: Reply, application: Application | null): Promise<Reply> {
  return show(request, reply, {
    application,
    status: 400,
    page: ({ say }) => ({ title: say('error.deadTitle'), body: html`<p>${say('error.dead')}</p>` }),
  });
}

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
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return show(request, reply, {
    application,
    status: 200,
    page: ({ say }) => ({
      title: say('saml.title', { application: application.name }),
      body: html`<p class="lead">${say('saml.intro', { application: application.name })}</p>
<form method="post" action="${consumer}" data-at-once>${hidden}<button>${say('action.continue')}</button></form>`,
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

/** A sign-in that has ended or was begun in another browser. */
export function showDead(request: Request, reply: Reply, application: Application | null): Promise<Reply> {
  return show(request, reply, {
    application,
    status: 400,
    page: ({ say }) => ({ title: say('error.deadTitle'), body: html`<p>${say('error.dead')}</p>` }),
  });
}

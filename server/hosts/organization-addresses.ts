import { html } from 'hono/html';
import { getOrganization } from '#organizations';
import { pathOf, renderPage, voiceOf } from '#pages';
import { type Scope, systemCtx } from '#platform/ctx.ts';
import { wantsPage } from '#platform/html.ts';
import type { App, Reply, Request } from '#platform/http.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';

/** The OpenID provider, the pages, and what these call: proof-of-work challenges, and the way to an identity provider and back. */
const SERVED = [
  /^\/(connect|\.well-known|sign-in|account|link|assets|problems)(\/|$)/,
  /^\/v1\/auth\/(challenge|login\/(social|connections)\/[^/]+\/[^/]+)$/,
];

/**
 * The rules of addresses of organizations: an address whose organization is blocked or deleted is closed, and sessions of
 * the API, which may be in no organization or in any, begin and continue elsewhere.
 */
export function addOrganizationAddresses(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    const { scope, organizationId } = request.address;
    if (!scope || organizationId === null) return undefined;
    if (!(await isOpen(app.system, scope, organizationId))) return refuse(request, reply, scope);
    const path = pathOf(request);
    if (!SERVED.some((served) => served.test(path)))
      throw problem(
        'CONTEXT_NOT_ALLOWED',
        'This address signs people in for one organization, by its pages and OpenID Connect. Call the API at another address.',
      );
    return undefined;
  });
}

async function isOpen(system: System, scope: Scope, id: OrganizationId): Promise<boolean> {
  try {
    return (await getOrganization(systemCtx(system, scope, 'addresses', 'addresses'), id)).status === 'active';
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

async function refuse(request: Request, reply: Reply, scope: Scope): Promise<Reply> {
  if (!wantsPage(request.headers.accept))
    throw problem('ORGANIZATION_BLOCKED', 'The organization of this address is blocked or deleted.');
  const { system } = request.server;
  const voice = await voiceOf({ system, in: { scope, organizationId: null }, languages: request.trace.languages });
  const { say } = voice;
  const { document, headers } = renderPage(voice, {
    title: say('closed.title'),
    body: html`<p>${say('closed.text')}</p>`,
  });
  return reply.code(403).headers(headers).serializer(String).send(document);
}

import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { asMember } from '#account';
import { addressesOf } from '#domains';
import { CodeChallenge, EXCHANGE_CODE, issueExchangeCode, spendExchangeCode, withQuery } from '#exchange';
import { customerOf, type Scope, transaction } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { pageAddressOf } from './addresses.ts';
import { memberIn } from './members-only.ts';
import { Slug } from './of-projects.public.ts';
import { findPublished, type StatusPage, scopeOf } from './pages.ts';
import { pageAsked } from './summary.public.ts';
import { anonymousOn, endStep, isAdmitted, letIn } from './visitors.ts';

const CODE_SECONDS = 60;
const Handover = Type.Object({ key: Type.String(), sessionId: IdSchema('ses'), challenge: Type.String() });
const Begun = { slug: Slug, challenge: CodeChallenge };

/**
 * The way of a member to a status page. The browser is signed in on the auth host, whose cookies the host of the page does not
 * see: a code carries the session there. It works once, for a minute, and only in the browser that asked for the page.
 */
export const statusHandoverRoutes: Routes = [
  get('/account/status/:slug/:challenge', {
    permission: 'public',
    params: Type.Object(Begun),
    handler: (request, reply) => handOver({ request, reply }, request.params),
  }),
  // For a page at its domain.
  get('/account/status/:slug/:challenge/:host', {
    permission: 'public',
    params: Type.Object({ ...Begun, host: Type.String({ maxLength: 253, pattern: '^[a-z0-9][a-z0-9.-]*$' }) }),
    handler: (request, reply) => handOver({ request, reply }, request.params),
  }),
];

async function handOver(
  { request, reply }: { request: Request; reply: Reply },
  { slug, challenge, host }: { slug: string; challenge: string; host?: string },
): Promise<Reply> {
  const { system } = request.server;
  const found = await findPublished(system, slug);
  // Addresses of organizations sign people in for themselves alone.
  if (!found || found.environment !== request.server.host.environment || request.address.organizationId !== null)
    throw problem('NOT_FOUND');
  const scope = await scopeOf(system, found);
  if (!scope) throw problem('NOT_FOUND');
  const page = await atHost(request, { page: found, scope, host });
  if (page.audience === 'public') return reply.redirect(pageAddressOf(system, page), 303);
  const back = ['/account/status', slug, challenge, ...(host === undefined ? [] : [host])].join('/');
  return asMember({ request, reply }, { scope, back }, async (ctx) => {
    const { userId, sessionId } = customerOf(ctx);
    const content = { key: page.key, sessionId, challenge };
    const code = await transaction(ctx, (tx) =>
      issueExchangeCode(tx, { purpose: 'status_page', content, userId, seconds: CODE_SECONDS }),
    );
    return reply.redirect(withQuery(pageAddressOf(system, page, '/enter'), { code }), 303);
  });
}

type Wanted = { page: StatusPage; scope: Scope; host: string | undefined };

/**
 * The page at the host from which its visitor came: only a domain that is bound to it.
 * @throws Problem NOT_FOUND
 */
async function atHost({ server: { system } }: Request, { page, scope, host }: Wanted): Promise<StatusPage> {
  if (host === undefined) return page;
  const domain = (await addressesOf(system, scope)).status.find((url) => new URL(url).hostname === host);
  if (domain === undefined) throw problem('NOT_FOUND');
  return { ...page, domain };
}

const Arrival = Type.Object({ code: Type.String({ pattern: EXCHANGE_CODE }) });

/** Where the code arrives, on the host of the page: at its address, or at its domain. */
export const statusEnterRoutes: Routes = [
  get('/status/p/:slug/enter', {
    permission: 'public',
    params: Type.Object({ slug: Slug }),
    query: Arrival,
    handler: (request, reply) => enter({ request, reply }, request.query.code),
  }),
];
export const statusEnterAtDomainRoutes: Routes = [
  get('/status/enter', {
    permission: 'public',
    query: Arrival,
    handler: (request, reply) => enter({ request, reply }, request.query.code),
  }),
];

async function enter({ request, reply }: { request: Request; reply: Reply }, code: string): Promise<Reply> {
  const { system } = request.server;
  const page = await pageAsked(request);
  if (!page) throw problem('NOT_FOUND');
  // Somebody who reloads or goes back is there already.
  if (await isAdmitted(request, page)) return reply.redirect(pageAddressOf(system, page), 303);
  const exchange = { request, reply, page };
  const { challenge, back } = endStep(exchange);
  const ctx = await anonymousOn(request, page);
  const { content } = await transaction(ctx, (tx) => spendExchangeCode(tx, code, ['status_page']));
  if (!Value.Check(Handover, content) || content.key !== page.key || content.challenge !== challenge)
    throw problem('INVALID_TOKEN');
  if (!(await memberIn(ctx, content.sessionId))) throw problem('INVALID_TOKEN');
  letIn(exchange, content.sessionId);
  return reply.redirect(back, 303);
}

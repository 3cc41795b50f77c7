import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { asMember } from '#account';
import { CodeChallenge, EXCHANGE_CODE, issueExchangeCode, spendExchangeCode, withQuery } from '#exchange';
import { customerOf, transaction } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { pageAddressOf } from './addresses.ts';
import { memberIn } from './members-only.ts';
import { Slug } from './of-projects.public.ts';
import { findPublished, scopeOf } from './pages.ts';
import { projectViewsOf } from './project-views.ts';
import { anonymousOn, endStep, isAdmitted, letIn } from './visitors.ts';

const CODE_SECONDS = 60;
const Handover = Type.Object({ key: Type.String(), sessionId: IdSchema('ses'), challenge: Type.String() });

/**
 * The way of a member to a status page. The browser is signed in on the auth host, whose cookies the host of the page does not
 * see: a code carries the session there. It works once, for a minute, and only in the browser that asked for the page.
 */
export const statusHandoverRoutes: Routes = [
  get('/account/status/:slug/:challenge', {
    permission: 'public',
    params: Type.Object({ slug: Slug, challenge: CodeChallenge }),
    handler: async (request, reply) => {
      const { slug, challenge } = request.params;
      const { system } = request.server;
      const page = await pageServedHere(request, slug);
      if (page.audience === 'public') return reply.redirect(pageAddressOf(system, page), 303);
      const scope = await scopeOf(system, page);
      if (!scope) throw problem('NOT_FOUND');
      return asMember({ request, reply }, { scope, back: `/account/status/${slug}/${challenge}` }, async (ctx) => {
        const { userId, sessionId } = customerOf(ctx);
        const content = { key: page.key, sessionId, challenge };
        const code = await transaction(ctx, (tx) =>
          issueExchangeCode(tx, { purpose: 'status_page', content, userId, seconds: CODE_SECONDS }),
        );
        return reply.redirect(withQuery(pageAddressOf(system, page, '/enter'), { code }), 303);
      });
    },
  }),
];

/** A page of the environment of this host. Addresses of organizations sign people in for themselves alone. */
async function pageServedHere({ server, address }: Request, slug: string) {
  const page = await findPublished(server.system, slug);
  if (!page || page.environment !== server.host.environment || address.organizationId !== null)
    throw problem('NOT_FOUND');
  return page;
}

/** Where the code arrives, on the host of the page. */
export const statusEnterRoutes: Routes = [
  get('/status/p/:slug/enter', {
    permission: 'public',
    params: Type.Object({ slug: Slug }),
    query: Type.Object({ code: Type.String({ pattern: EXCHANGE_CODE }) }),
    handler: async (request, reply) => {
      const { system } = request.server;
      const page = await projectViewsOf(system).find(request.params.slug);
      if (!page) throw problem('NOT_FOUND');
      // Somebody who reloads or goes back is there already.
      if (await isAdmitted(request, page)) return reply.redirect(pageAddressOf(system, page), 303);
      const exchange = { request, reply, page };
      const { challenge, back } = endStep(exchange);
      const ctx = await anonymousOn(request, page);
      const { content } = await transaction(ctx, (tx) => spendExchangeCode(tx, request.query.code, ['status_page']));
      if (!Value.Check(Handover, content) || content.key !== page.key || content.challenge !== challenge)
        throw problem('INVALID_TOKEN');
      if (!(await memberIn(ctx, content.sessionId))) throw problem('INVALID_TOKEN');
      letIn(exchange, content.sessionId);
      return reply.redirect(back, 303);
    },
  }),
];

import { html } from 'hono/html';
import { Type } from 'typebox';
import { renderPage } from '#pages';
import { usersById } from '#people';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import type { SetupLinkRow } from './setup-links.ts';
import { dateOf, PAGES } from './show.ts';
import { BASE, closedPage, framedByOf, keepVisit, linkAt, voiceFor } from './visit.ts';
import { beginVisit, ctxOf, requireOpen } from './visits.ts';

const Opening = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false });

const openings = limits({ 'setup-link-openings': { points: 30, seconds: 600 } });

/**
 * The page that a set-up link opens. A GET changes nothing, so that programs that look at mailed links use nothing up;
 * a POST begins a visit. A link may be opened several times until it ends.
 */
export const openingRoutes: Routes = [
  get(`${BASE}/open`, {
    permission: 'public',
    query: Opening,
    handler: (request, reply) => withLink(request, reply, { token: request.query.token, work: show }),
  }),
  post(`${BASE}/open`, {
    permission: 'public',
    counted: 'proof',
    body: Opening,
    plugin: forms,
    handler: (request, reply) => {
      requireOwnPage(request);
      return withLink(request, reply, { token: request.body.token, work: begin });
    },
  }),
];

type Arrival = { request: Request; reply: Reply; token: string; ctx: Ctx; link: SetupLinkRow };
type Work = { token: string; work: (arrival: Arrival) => Promise<Reply> };

async function withLink(request: Request, reply: Reply, { token, work }: Work): Promise<Reply> {
  try {
    const { ctx, link } = await linkAt(request, token);
    return await work({ request, reply, token, ctx, link });
  } catch (error) {
    return closedPage(request, reply, error);
  }
}

async function show({ reply, token, ctx, link }: Arrival): Promise<Reply> {
  const { organization, tasks } = await requireOpen(ctx, link);
  const voice = await voiceFor(ctx, link);
  const { say, project } = voice;
  const maker = await makerName(ctx, link);
  const asked = say('setup.openIntro', { project, organization: organization.name });
  const { document, headers } = renderPage(voice, {
    title: say('setup.openTitle', { organization: organization.name }),
    framedBy: await framedByOf(ctx, link),
    body: html`<p class="lead">${asked}</p>
${maker === null ? '' : html`<p class="hint">${say('setup.madeBy', { name: maker })}</p>`}
<ul class="scopes">${tasks.map((task) => html`<li>${say(PAGES[task].text)}</li>`)}</ul>
<p class="hint">${say('setup.worksUntil', { date: dateOf({ voice }, link.expires_at.toISOString()) })}</p>
<form method="post" action="${BASE}/open"><input type="hidden" name="token" value="${token}"><button>${say('setup.begin')}</button></form>`,
  });
  return reply.headers(headers).serializer(String).send(document);
}

/** The name of the person who made a link, if they are a user of the project; never their address. */
async function makerName(ctx: Ctx, { maker }: SetupLinkRow): Promise<string | null> {
  if (maker.kind !== 'customer') return null;
  return (await usersById(ctx, [maker.userId])).get(maker.userId)?.displayName ?? null;
}

async function begin({ request, reply, ctx, link }: Arrival): Promise<Reply> {
  const taken = await openings(ctx.system)['setup-link-openings'].take(ctx, limitKey(link.id));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  await requireOpen(ctx, link);
  const visit = await beginVisit(ctxOf(ctx, link), link);
  keepVisit(request, reply, { token: visit, framed: (await framedByOf(ctx, link)) !== null });
  return reply.redirect(BASE, 303);
}

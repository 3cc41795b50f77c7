import { html } from 'hono/html';
import { Type } from 'typebox';
import { browserOf } from '#exchange';
import { messageOfProject, type Page, plainIfAsked, renderPage, type Voice, voiceOf } from '#pages';
import { Password } from '#passwords';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { noteProblem } from '#platform/http-errors.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { Problem, problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { setSessionCookies } from '#requests';
import { type LinkKind, type Looked, linkKinds, links } from './mailed-links.ts';

const LinkRef = Type.Object({ kind: Type.Enum(linkKinds) });
const Token = Type.String({ minLength: 1, maxLength: 200 });
const LinkForm = Type.Object(
  { token: Token, password: Type.Optional(Password), displayName: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
);

/**
 * The pages that mailed links open. A GET changes nothing, so mail scanners can't spend a link; the page shows the
 * action and the account, and a POST performs it. The link itself is the proof of the address. The browser's mark shows
 * whether the link is opened in the browser that requested it, so that choices made there can be trusted.
 */
export const mailedLinkRoutes: Routes = [
  get('/link/:kind', {
    permission: 'public',
    params: LinkRef,
    query: Type.Object({ token: Token }),
    handler: (request, reply) =>
      withLink({ request, reply, kind: request.params.kind, token: request.query.token }, (visit) => show(visit)),
  }),
  post('/link/:kind', {
    permission: 'public',
    counted: 'password',
    params: LinkRef,
    body: LinkForm,
    plugin: forms,
    handler: (request, reply) => {
      requireOwnPage(request);
      const { token, ...form } = request.body;
      return withLink({ request, reply, kind: request.params.kind, token }, async (visit) => {
        const { kind, opened } = visit;
        const finished = await links[kind].finish(opened, form);
        if ('redirect' in finished) return reply.redirect(finished.redirect, 303);
        if (finished.session) setSessionCookies(request, reply, finished.session);
        return send({ request, reply }, opened.voice, {
          status: 200,
          page: { title: finished.title, body: html`<p class="done">${finished.text}</p>` },
        });
      });
    },
  }),
];

type Arrival = { request: Request; reply: Reply; kind: LinkKind; token: string };
type Visit = Arrival & { opened: Parameters<(typeof links)[LinkKind]['look']>[0] };

/** Opens a link and works with it. An invalid link shows what to do; an invalid form is shown again. */
async function withLink(arrival: Arrival, work: (visit: Visit) => Promise<Reply>): Promise<Reply> {
  const { request, reply, kind, token } = arrival;
  const { system } = request.server;
  const { languages } = request.trace;
  let voice = await voiceOf({ system, in: null, languages });
  let visit: Visit | null = null;
  try {
    const ctx = await links[kind].open(request, token);
    const { organizationId: served } = request.address;
    const organizationId = (await links[kind].organization?.(ctx, token)) ?? served;
    if (served !== null && organizationId !== served) throw problem('INVALID_TOKEN');
    voice = await voiceOf({ system, in: { scope: ctx.scope, organizationId }, languages });
    visit = { ...arrival, opened: { ctx, voice, token, browser: browserOf(request) } };
    return await work(visit);
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    noteProblem(request.trace, error);
    if (visit && error.code === 'WEAK_PASSWORD') return show(visit, voice.say('fault.weak'));
    return send({ request, reply }, voice, { status: error.status, page: explained(voice, kind, error) });
  }
}

function explained({ say, project }: Voice, kind: LinkKind, error: Problem): Page {
  const { code } = error;
  if (code === 'INVALID_TOKEN' || code === 'INVALID_CODE')
    return { title: say('mailed.deadTitle'), body: html`<p>${say('mailed.dead')}</p>` };
  const faults: Record<string, string> = {
    CONFLICT: say(kind === 'invitation' ? 'mailed.haveAccount' : 'mailed.secondStep'),
    METHOD_DISABLED: say('fault.method'),
    REFUSED_BY_ACTION: messageOfProject(error) ?? say('fault.refused', { project }),
    REGISTRATION_CLOSED: say('fault.closed'),
  };
  return { title: say('error.title'), body: html`<p>${faults[code] ?? say('fault.invalid')}</p>` };
}

async function show({ request, reply, kind, token, opened }: Visit, fault?: string): Promise<Reply> {
  const page = linkPage(await links[kind].look(opened), { kind, token, fault });
  return send({ request, reply }, opened.voice, { status: fault === undefined ? 200 : 400, page });
}

type Opening = { kind: LinkKind; token: string; fault?: string | undefined };

/** The page of a link, with the form that does what it is for. */
export function linkPage({ title, intro, fields, button, leaves = false }: Looked, opening: Opening): Page {
  const { kind, token, fault } = opening;
  const complaint = fault === undefined ? '' : html`<p class="fault" role="alert">${fault}</p>`;
  return {
    title,
    body: html`${intro}${complaint}${button === null ? '' : html`<form method="post" action="/link/${kind}"><input type="hidden" name="token" value="${token}">${fields ?? ''}<button>${button}</button></form>`}`,
    leaves,
  };
}

type Shown = { status: number; page: Page };

function send({ request, reply }: Pick<Arrival, 'request' | 'reply'>, voice: Voice, { status, page }: Shown): Reply {
  const { document, headers } = renderPage(plainIfAsked(request, reply, voice), page);
  return reply.code(status).headers(headers).serializer(String).send(document);
}

import { Type } from 'typebox';
import { type Html, html } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';
import { queryOn } from './addresses.ts';
import { framed, homeOf, pageHeaders } from './page-frame.ts';
import type { StatusPage } from './pages.ts';
import { voiceOf } from './status.page.ts';
import { momentOn, pageFor } from './summary.public.ts';
import type { Voice } from './words.ts';

/** A browser sends one chosen box as a string and several as an array. */
export const Chosen = Type.Optional(
  Type.Union([Type.String({ maxLength: 40 }), Type.Array(Type.String({ maxLength: 40 }), { maxItems: 200 })]),
);

export function listOf(chosen: string | string[] | undefined): string[] {
  return chosen === undefined ? [] : Array.isArray(chosen) ? chosen : [chosen];
}

/** A request of a page of a subscription. `query`: what the forms of the page send along in their address. */
export type Visit = { request: Request; reply: Reply; voice: Voice; page: StatusPage; query: string };

/** Shows problems as a page. */
export async function guarded(request: Request, reply: Reply, work: (visit: Visit) => Promise<Reply>): Promise<Reply> {
  const page = await pageFor(request);
  const voice = voiceOf(request, (await momentOn(request.server.system, page)).view);
  try {
    return await work({ request, reply, voice, page, query: queryOn(page, { lang: voice.language }) });
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const dead = error.code === 'INVALID_TOKEN';
    const fault = error.code === 'RATE_LIMIT_EXCEEDED' ? 'subscribe.later' : 'subscribe.wrong';
    return panel(
      { request, reply, page },
      {
        title: voice.say(dead ? 'dead.title' : 'subscribe.title'),
        status: error.status,
        body: html`<p>${voice.say(dead ? 'dead.text' : fault)}</p>`,
      },
    );
  }
}

type Panel = { title: string; body: Html; status?: number };

/** A page with one card, of the page of the visit or of the subscription. */
export async function panel(
  { request, reply, page }: Pick<Visit, 'request' | 'reply' | 'page'>,
  { title, body, status = 200 }: Panel,
): Promise<Reply> {
  const { view } = await momentOn(request.server.system, page);
  const voice = voiceOf(request, view);
  const document = framed({
    voice,
    view,
    title: `${title} · ${voice.say('title', { name: view.name })}`,
    self: null,
    body: html`<section class="panel"><h1>${title}</h1>${body}<p class="small"><a href="${homeOf(view, voice)}">${voice.say('page.back')}</a></p></section>`,
  });
  return reply
    .code(status)
    .headers({ ...pageHeaders(view), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(document);
}

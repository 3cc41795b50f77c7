import { Type } from 'typebox';
import { type Html, html } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';
import { framed, pageHeaders, queryOf } from './page-frame.ts';
import { voiceOf } from './status.page.ts';
import type { SubscriberRow } from './subscribers.ts';
import { environmentOf } from './summary.public.ts';
import type { View } from './view.ts';
import { viewsOf } from './views.ts';
import type { Voice } from './words.ts';

/** A browser sends one chosen box as a string and several as an array. */
export const Chosen = Type.Optional(
  Type.Union([Type.String({ maxLength: 40 }), Type.Array(Type.String({ maxLength: 40 }), { maxItems: 200 })]),
);

export function listOf(chosen: string | string[] | undefined): string[] {
  return chosen === undefined ? [] : Array.isArray(chosen) ? chosen : [chosen];
}

/** A request of a page of a subscription. */
export type Visit = { request: Request; reply: Reply; voice: Voice; query: string };

/** Shows problems as a page. */
export async function guarded(request: Request, reply: Reply, work: (visit: Visit) => Promise<Reply>): Promise<Reply> {
  const voice = voiceOf(request);
  const query = queryOf({ voice, test: environmentOf(request) === 'test' }, true);
  try {
    return await work({ request, reply, voice, query });
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const dead = error.code === 'INVALID_TOKEN';
    const fault = error.code === 'RATE_LIMIT_EXCEEDED' ? 'subscribe.later' : 'subscribe.wrong';
    return panel(request, reply, {
      title: voice.say(dead ? 'dead.title' : 'subscribe.title'),
      status: error.status,
      body: html`<p>${voice.say(dead ? 'dead.text' : fault)}</p>`,
    });
  }
}

export function viewOf({ server }: Request, { environment }: Pick<SubscriberRow, 'environment'>): View {
  return viewsOf(server.system).of(environment);
}

type Panel = { title: string; body: Html; status?: number; environment?: SubscriberRow['environment'] };

export function panel(request: Request, reply: Reply, { title, body, status = 200, environment }: Panel): Reply {
  const voice = voiceOf(request);
  const view = viewOf(request, { environment: environment ?? environmentOf(request) });
  const test = view.environment === 'test';
  const document = framed({
    voice,
    view,
    test,
    title: `${title} · ${voice.say('title', { name: view.name })}`,
    self: null,
    body: html`<section class="panel"><h1>${title}</h1>${body}<p class="small"><a href="/status${queryOf({ voice, test }, true)}">${voice.say('page.back')}</a></p></section>`,
  });
  return reply
    .code(status)
    .headers({ ...pageHeaders(view), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(document);
}

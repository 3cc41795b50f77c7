import { Type } from 'typebox';
import { languageFor } from '#messages';
import type { Reply, Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { languages } from '#settings';
import { EMBED_HEADERS, embedPage } from './embed.ts';
import { eventPage, historyPage, statusPage } from './page-body.ts';
import { pageHeaders } from './page-frame.ts';
import { momentOf, respond, StatusQuery } from './summary.public.ts';
import type { View } from './view.ts';
import { type Voice, voiceIn } from './words.ts';

const HTML_TYPE = 'text/html; charset=utf-8';

/** The query of every page: the environment, and a language other than the browser's. */
export const PageQueryOfStatus = Type.Interface([StatusQuery], { lang: Type.Optional(Type.Enum([...languages])) });
const EventRef = Type.Object({ id: Type.String({ pattern: '^(inc|mnt)_[0-9a-z]{26}$', maxLength: 40 }) });

/** The words in which a page answers a request: in the language that is asked for, if the page offers it. */
export function voiceOf({ query, headers }: Request, { languages: own }: Pick<View, 'languages'>): Voice {
  const chosen = typeof query === 'object' && query !== null && 'lang' in query ? String(query.lang) : null;
  return voiceIn(languageFor(chosen ?? headers['accept-language']?.slice(0, 256) ?? null, own.standard, own.offered));
}

/** The status pages. They need no cookie and no database. */
export const statusPageRoutes: Routes = [
  get('/status', {
    permission: 'public',
    query: PageQueryOfStatus,
    handler: (request, reply) => sendView(request, reply, 'page', statusPage),
  }),
  get('/status/embed', {
    permission: 'public',
    query: PageQueryOfStatus,
    handler: async (request, reply) => {
      const voice = voiceOf(request, (await momentOf(request)).view);
      return respond(request, reply, {
        key: `embed ${voice.language}`,
        type: HTML_TYPE,
        make: (view) => embedPage(view, voice),
        headers: () => EMBED_HEADERS,
      });
    },
  }),
  get('/status/incidents', {
    permission: 'public',
    query: PageQueryOfStatus,
    handler: (request, reply) => sendView(request, reply, 'history', historyPage),
  }),
  get('/status/incidents/:id', {
    permission: 'public',
    query: PageQueryOfStatus,
    params: EventRef,
    handler: async (request, reply) => {
      const { id } = request.params;
      const { view } = await momentOf(request);
      if (![...view.incidents, ...view.maintenances].some((event) => event.id === id)) throw problem('NOT_FOUND');
      return sendView(request, reply, id, (shown, voice) => eventPage(shown, voice, id) ?? '');
    },
  }),
];

async function sendView(
  request: Request,
  reply: Reply,
  key: string,
  make: (view: View, voice: Voice) => string,
): Promise<Reply> {
  const voice = voiceOf(request, (await momentOf(request)).view);
  return respond(request, reply, {
    key: `${key} ${voice.language}`,
    type: HTML_TYPE,
    make: (view) => make(view, voice),
    headers: (view) => ({ ...pageHeaders(view), vary: 'accept-language' }),
  });
}

import { Type } from 'typebox';
import { type Html, html } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { Email, KnownEmail } from '#platform/identifiers.ts';
import { Problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { componentChoices } from './page-body.ts';
import { framed, PAGE_HEADERS, queryOf } from './page-frame.ts';
import { PageQueryOfStatus, voiceOf } from './status.page.ts';
import { visitorCtx } from './subscribe.public.ts';
import type { SubscriberRow } from './subscribers.ts';
import {
  chooseComponents,
  confirmSubscription,
  mailCode,
  openWithCode,
  readSubscription,
  subscribe,
  takeTurn,
  unsubscribe,
} from './subscriptions.ts';
import { environmentOf } from './summary.public.ts';
import { makeToken } from './tokens.ts';
import { namesOf, type View } from './view.ts';
import { viewsOf } from './views.ts';
import type { Voice } from './words.ts';

const Token = Type.String({ minLength: 1, maxLength: 300 });
const TokenQuery = Type.Interface([PageQueryOfStatus], { token: Token });

/** A browser sends one chosen box as a string and several as an array. */
const Chosen = Type.Optional(
  Type.Union([Type.String({ maxLength: 40 }), Type.Array(Type.String({ maxLength: 40 }), { maxItems: 200 })]),
);
const SubscribeForm = Type.Object({
  email: Email,
  website: Type.Optional(Type.String({ maxLength: 200 })),
  componentIds: Chosen,
});
const CodeForm = Type.Object({ id: Type.String({ maxLength: 40 }), code: Type.String({ maxLength: 20 }) });

function listOf(chosen: string | string[] | undefined): string[] {
  return chosen === undefined ? [] : Array.isArray(chosen) ? chosen : [chosen];
}

/**
 * The pages of a person's own subscription. A GET changes nothing, so mail scanners can't confirm or end one; only a
 * POST does (ST-2).
 */
export const statusSubscriptionRoutes: Routes = [
  post('/status/subscribe', {
    permission: 'public',
    counted: { uncounted: 'it has its own, smaller limit per source' },
    query: PageQueryOfStatus,
    body: SubscribeForm,
    attachValidation: true,
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async ({ voice }) => {
        if (request.validationError)
          return panel(request, reply, {
            title: voice.say('subscribe.title'),
            status: 400,
            body: html`<p class="fault" role="alert">${voice.say('subscribe.wrong')}</p>`,
          });
        const { email, website, componentIds } = request.body;
        const ctx = await visitorCtx(request, environmentOf(request));
        await takeTurn(ctx, 'status-subscribe');
        // A honeypot: only programs fill in the invisible field.
        if (!website) await subscribe(ctx, { channel: 'email', address: email, componentIds: listOf(componentIds) });
        return panel(request, reply, {
          title: voice.say('subscribe.sentTitle'),
          body: html`<p>${voice.say('subscribe.sent')}</p>`,
        });
      }),
  }),
  ...(['confirm', 'unsubscribe'] as const).map((page) =>
    get(`/status/${page}`, {
      permission: 'public',
      query: TokenQuery,
      handler: (request, reply) =>
        guarded(request, reply, async ({ voice }) => {
          const row = await readSubscription(request.server.system, page, request.query.token);
          return panel(request, reply, {
            title: voice.say(`${page}.title`),
            environment: row.environment,
            body: html`<p>${voice.say(`${page}.intro`, { name: viewOf(request, row).name, address: row.address })}</p>
<form method="post" action="/status/${page}?token=${encodeURIComponent(request.query.token)}&amp;lang=${voice.language}"><button>${voice.say(`${page}.button`)}</button></form>`,
          });
        }),
    }),
  ),
  post('/status/confirm', {
    permission: 'public',
    counted: 'proof',
    query: TokenQuery,
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async ({ voice }) => {
        const row = await readSubscription(request.server.system, 'confirm', request.query.token);
        const secret = await confirmSubscription(await visitorCtx(request, row.environment), row.id);
        return panel(request, reply, {
          title: voice.say('confirm.doneTitle'),
          environment: row.environment,
          body: html`<p>${voice.say('confirm.done')}</p>${secret === null ? '' : html`<p>${voice.say('confirm.secret')}</p><code>${secret}</code>`}`,
        });
      }),
  }),
  // RFC 8058: the body is List-Unsubscribe=One-Click, and the link is the only credential.
  post('/status/unsubscribe', {
    permission: 'public',
    counted: 'proof',
    query: TokenQuery,
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async ({ voice }) => {
        const row = await readSubscription(request.server.system, 'unsubscribe', request.query.token);
        await unsubscribe(await visitorCtx(request, row.environment), row.id);
        return panel(request, reply, {
          title: voice.say('unsubscribe.doneTitle'),
          environment: row.environment,
          body: html`<p>${voice.say('unsubscribe.done')}</p>`,
        });
      }),
  }),
  get('/status/manage', {
    permission: 'public',
    query: PageQueryOfStatus,
    handler: (request, reply) =>
      guarded(request, reply, async ({ voice, query }) =>
        panel(request, reply, {
          title: voice.say('manage.title'),
          body: html`<p>${voice.say('manage.intro')}</p><form method="post" action="/status/manage${query}"><label>${voice.say('subscribe.email')}<input type="email" name="email" required autocomplete="email" maxlength="254"></label><button>${voice.say('manage.send')}</button></form>`,
        }),
      ),
  }),
  post('/status/manage', {
    permission: 'public',
    counted: { uncounted: 'it has its own, smaller limit per source' },
    query: PageQueryOfStatus,
    body: Type.Object({ email: KnownEmail }),
    silent: 'mailing a code and opening the subscription change nothing',
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async (visit) => {
        const ctx = await visitorCtx(request, environmentOf(request));
        await takeTurn(ctx, 'status-manage');
        return codePage(visit, await mailCode(ctx, request.body.email));
      }),
  }),
  post('/status/manage/code', {
    permission: 'public',
    counted: 'proof',
    query: PageQueryOfStatus,
    body: CodeForm,
    silent: 'mailing a code and opening the subscription change nothing',
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async (visit) => {
        const { id, code } = request.body;
        const ctx = await visitorCtx(request, environmentOf(request));
        try {
          const token = await openWithCode(ctx, id, code.trim());
          return choicesPage(visit, {
            token,
            row: await readSubscription(request.server.system, 'manage', token),
            saved: false,
          });
        } catch (error) {
          if (error instanceof Problem && error.code === 'INVALID_CODE') return codePage(visit, id, true);
          throw error;
        }
      }),
  }),
  post('/status/manage/save', {
    permission: 'public',
    counted: 'proof',
    query: PageQueryOfStatus,
    body: Type.Object({ token: Token, componentIds: Chosen }),
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async (visit) => {
        const { token, componentIds } = request.body;
        const { environment, id } = await readSubscription(request.server.system, 'manage', token);
        await chooseComponents(await visitorCtx(request, environment), id, listOf(componentIds));
        return choicesPage(visit, {
          token,
          row: await readSubscription(request.server.system, 'manage', token),
          saved: true,
        });
      }),
  }),
];

type Visit = { request: Request; reply: Reply; voice: Voice; query: string };

/** Shows problems as a page. */
async function guarded(request: Request, reply: Reply, work: (visit: Visit) => Promise<Reply>): Promise<Reply> {
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

function codePage({ request, reply, voice, query }: Visit, id: string, wrong = false): Reply {
  return panel(request, reply, {
    title: voice.say('manage.title'),
    status: wrong ? 400 : 200,
    body: html`${wrong ? html`<p class="fault" role="alert">${voice.say('manage.wrong')}</p>` : ''}<p>${voice.say('manage.codeIntro')}</p><form method="post" action="/status/manage/code${query}"><input type="hidden" name="id" value="${id}"><label>${voice.say('manage.code')}<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20"></label><button>${voice.say('manage.open')}</button></form>`,
  });
}

function choicesPage(
  { request, reply, voice, query }: Visit,
  { token, row, saved }: { token: string; row: SubscriberRow; saved: boolean },
): Reply {
  const view = viewOf(request, row);
  const end = makeToken(request.server.system, 'unsubscribe', row);
  return panel(request, reply, {
    title: voice.say('manage.title'),
    environment: row.environment,
    body: html`<p class="soft">${row.address}</p>${saved ? html`<p role="status"><strong>${voice.say('manage.saved')}</strong></p>` : ''}
<form method="post" action="/status/manage/save${query}"><input type="hidden" name="token" value="${token}"><fieldset><legend><strong>${voice.say('manage.choose')}</strong></legend><p class="small soft">${voice.say('subscribe.all')}</p>${componentChoices({ view, nameOf: namesOf(view, voice) }, row.component_ids)}</fieldset><button>${voice.say('manage.save')}</button></form>
<form method="post" action="/status/unsubscribe?token=${encodeURIComponent(end)}&amp;lang=${voice.language}"><button>${voice.say('unsubscribe.button')}</button></form>`,
  });
}

function viewOf({ server }: Request, { environment }: Pick<SubscriberRow, 'environment'>): View {
  return viewsOf(server.system).of(environment);
}

type Panel = { title: string; body: Html; status?: number; environment?: SubscriberRow['environment'] };

function panel(request: Request, reply: Reply, { title, body, status = 200, environment }: Panel): Reply {
  const voice = voiceOf(request);
  const view = viewOf(request, { environment: environment ?? environmentOf(request) });
  const test = view.environment === 'test';
  const document = framed({
    voice,
    name: view.name,
    test,
    title: `${title} · ${voice.say('title', { name: view.name })}`,
    self: null,
    body: html`<section class="panel"><h1>${title}</h1>${body}<p class="small"><a href="/status${queryOf({ voice, test }, true)}">${voice.say('page.back')}</a></p></section>`,
  });
  return reply
    .code(status)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(document);
}

import { Type } from 'typebox';
import { html } from '#platform/html.ts';
import type { Reply } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { KnownEmail } from '#platform/identifiers.ts';
import { Problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { componentChoices } from './page-body.ts';
import { Chosen, guarded, listOf, panel, type Visit, viewOf } from './panel.ts';
import { PageQueryOfStatus } from './status.page.ts';
import { visitorCtx } from './subscribe.public.ts';
import type { SubscriberRow } from './subscribers.ts';
import {
  chooseComponents,
  confirmSubscription,
  mailCode,
  openWithCode,
  readSubscription,
  takeTurn,
  unsubscribe,
} from './subscriptions.ts';
import { environmentOf } from './summary.public.ts';
import { makeToken } from './tokens.ts';
import { namesOf } from './view.ts';

const Token = Type.String({ minLength: 1, maxLength: 300 });
const TokenQuery = Type.Interface([PageQueryOfStatus], { token: Token });
const CodeForm = Type.Object({ id: Type.String({ maxLength: 40 }), code: Type.String({ maxLength: 20 }) });

/**
 * The pages of a person's own subscription. A GET changes nothing, so mail scanners can't confirm or end one; only a
 * POST does (ST-2).
 */
export const statusSubscriptionRoutes: Routes = [
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

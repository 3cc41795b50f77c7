import { Type } from 'typebox';
import { html } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { KnownEmail } from '#platform/identifiers.ts';
import { Problem, problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { pathOn, queryOn } from './addresses.ts';
import { mailCode, openWithCode } from './codes.ts';
import { componentChoices } from './page-body.ts';
import { Chosen, guarded, listOf, panel, type Visit } from './panel.ts';
import { PageQueryOfStatus } from './status.page.ts';
import {
  chooseComponents,
  confirmSubscription,
  readSubscription,
  type Subscription,
  takeTurn,
  unsubscribe,
} from './subscriptions.ts';
import { momentOn, pageFor } from './summary.public.ts';
import { makeToken } from './tokens.ts';
import { namesOf } from './view.ts';
import { visitorCtx } from './visitors.ts';

const Token = Type.String({ minLength: 1, maxLength: 300 });
const TokenQuery = Type.Interface([PageQueryOfStatus], { token: Token });
const CodeForm = Type.Object({ id: Type.String({ maxLength: 40 }), code: Type.String({ maxLength: 20 }) });

/**
 * The pages of the links in messages. They are the same for all pages, because a token names its page. A GET changes
 * nothing, so mail scanners can't confirm or end a subscription; only a POST does (ST-2).
 */
export const statusLinkRoutes: Routes = [
  ...(['confirm', 'unsubscribe'] as const).map((link) =>
    get(`/status/${link}`, {
      permission: 'public',
      query: TokenQuery,
      handler: (request, reply) =>
        guarded(request, reply, async ({ voice }) => {
          const { system } = request.server;
          const { page, row } = await subscriptionOf(request, link, request.query.token);
          const { view } = await momentOn(system, page);
          return panel(
            { request, reply, page },
            {
              title: voice.say(`${link}.title`),
              body: html`<p>${voice.say(`${link}.intro`, { name: view.name, address: row.address })}</p>
<form method="post" action="/status/${link}?token=${encodeURIComponent(request.query.token)}&amp;lang=${voice.language}"><button>${voice.say(`${link}.button`)}</button></form>`,
            },
          );
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
        const { page, row } = await subscriptionOf(request, 'confirm', request.query.token);
        const secret = await confirmSubscription(await visitorCtx(request, page), row.id);
        return panel(
          { request, reply, page },
          {
            title: voice.say('confirm.doneTitle'),
            body: html`<p>${voice.say('confirm.done')}</p>${secret === null ? '' : html`<p>${voice.say('confirm.secret')}</p><code>${secret}</code>`}`,
          },
        );
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
        const { page, row } = await subscriptionOf(request, 'unsubscribe', request.query.token);
        await unsubscribe(await visitorCtx(request, page), row.id);
        return panel(
          { request, reply, page },
          {
            title: voice.say('unsubscribe.doneTitle'),
            body: html`<p>${voice.say('unsubscribe.done')}</p>`,
          },
        );
      }),
  }),
];

/**
 * The subscription of a link. At the domain of a page, only one of that page.
 * @throws Problem INVALID_TOKEN
 */
async function subscriptionOf(request: Request, link: 'confirm' | 'unsubscribe', token: string): Promise<Subscription> {
  const subscription = await readSubscription(request.server.system, link, token);
  if (request.address.scope === null) return subscription;
  const page = await pageFor(request);
  if (page.key !== subscription.page.key) throw problem('INVALID_TOKEN');
  return { ...subscription, page };
}

/** The pages where people open their subscription to one page with a code, and change it. */
export const statusManageRoutes: Routes = [
  get('/status/manage', {
    permission: 'public',
    query: PageQueryOfStatus,
    handler: (request, reply) =>
      guarded(request, reply, async ({ voice, page, query }) =>
        panel(
          { request, reply, page },
          {
            title: voice.say('manage.title'),
            body: html`<p>${voice.say('manage.intro')}</p><form method="post" action="${pathOn(page, '/status/manage')}${query}"><label>${voice.say('subscribe.email')}<input type="email" name="email" required autocomplete="email" maxlength="254"></label><button>${voice.say('manage.send')}</button></form>`,
          },
        ),
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
        const ctx = await visitorCtx(request, visit.page);
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
        const ctx = await visitorCtx(request, visit.page);
        try {
          const token = await openWithCode(ctx, id, code.trim());
          return choicesPage(visit, {
            token,
            subscription: await readSubscription(request.server.system, 'manage', token),
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
        const { page, row } = await readSubscription(request.server.system, 'manage', token);
        // What a page has is shown to those who may see that page.
        if (page.key !== visit.page.key) throw problem('INVALID_TOKEN');
        await chooseComponents(await visitorCtx(request, page), row.id, listOf(componentIds));
        return choicesPage(visit, {
          token,
          subscription: await readSubscription(request.server.system, 'manage', token),
          saved: true,
        });
      }),
  }),
];

function codePage(visit: Visit, id: string, wrong = false): Promise<Reply> {
  const { voice, page, query } = visit;
  return panel(visit, {
    title: voice.say('manage.title'),
    status: wrong ? 400 : 200,
    body: html`${wrong ? html`<p class="fault" role="alert">${voice.say('manage.wrong')}</p>` : ''}<p>${voice.say('manage.codeIntro')}</p><form method="post" action="${pathOn(page, '/status/manage/code')}${query}"><input type="hidden" name="id" value="${id}"><label>${voice.say('manage.code')}<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20"></label><button>${voice.say('manage.open')}</button></form>`,
  });
}

async function choicesPage(
  { request, reply, voice, page }: Visit,
  { token, subscription, saved }: { token: string; subscription: Subscription; saved: boolean },
): Promise<Reply> {
  const { system } = request.server;
  const { row } = subscription;
  const { view } = await momentOn(system, page);
  const end = makeToken(system, 'unsubscribe', row);
  const save = `${pathOn(page, '/status/manage/save')}${queryOn(page, { lang: voice.language })}`;
  return panel(
    { request, reply, page },
    {
      title: voice.say('manage.title'),
      body: html`<p class="soft">${row.address}</p>${saved ? html`<p role="status"><strong>${voice.say('manage.saved')}</strong></p>` : ''}
<form method="post" action="${save}"><input type="hidden" name="token" value="${token}"><fieldset><legend><strong>${voice.say('manage.choose')}</strong></legend><p class="small soft">${voice.say('subscribe.all')}</p>${componentChoices({ view, nameOf: namesOf(view, voice) }, row.component_ids)}</fieldset><button>${voice.say('manage.save')}</button></form>
<form method="post" action="/status/unsubscribe?token=${encodeURIComponent(end)}&amp;lang=${voice.language}"><button>${voice.say('unsubscribe.button')}</button></form>`,
    },
  );
}

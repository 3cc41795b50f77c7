import { raw } from 'hono/html';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { html } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { KnownEmail, normalisePhone } from '#platform/identifiers.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { pathOn, queryOn } from './addresses.ts';
import { type Claim, openWithCode, sendCode } from './codes.ts';
import { takeTurn } from './doors.ts';
import { componentChoices } from './page-body.ts';
import { Chosen, guarded, listOf, panel, type Visit } from './panel.ts';
import { PageQueryOfStatus } from './status.page.ts';
import {
  chooseComponents,
  confirmSubscription,
  readSubscription,
  type Subscription,
  unsubscribe,
} from './subscriptions.ts';
import { momentOn, pageFor } from './summary.public.ts';
import { makeToken } from './tokens.ts';
import { namesOf } from './view.ts';
import { visitorCtx } from './visitors.ts';

const Token = Type.String({ minLength: 1, maxLength: 300 });
const TokenQuery = Type.Interface([PageQueryOfStatus], { token: Token });
const ClaimedChannel = Type.Optional(Type.Enum(['email', 'sms']));
const ManageQuery = Type.Interface([PageQueryOfStatus], { channel: ClaimedChannel });
const ClaimForm = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  phone: Type.Optional(Type.String({ maxLength: 254 })),
});
const CodeForm = Type.Object({
  channel: ClaimedChannel,
  id: IdSchema('cod'),
  code: Type.String({ maxLength: 20 }),
});

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
    query: ManageQuery,
    handler: (request, reply) =>
      guarded(request, reply, (visit) => claimForm(visit, { channel: request.query.channel ?? 'email' })),
  }),
  post('/status/manage', {
    permission: 'public',
    counted: { uncounted: 'it has its own, smaller limit per source' },
    query: PageQueryOfStatus,
    body: ClaimForm,
    attachValidation: true,
    silent: 'sending a code and opening the subscription change nothing',
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, (visit) => {
        const invalid = request.validationError !== undefined;
        return claimed(visit, invalid ? {} : request.body);
      }),
  }),
  post('/status/manage/code', {
    permission: 'public',
    counted: 'proof',
    query: PageQueryOfStatus,
    body: CodeForm,
    silent: 'sending a code and opening the subscription change nothing',
    plugin: forms,
    handler: (request, reply) =>
      guarded(request, reply, async (visit) => {
        const { channel = 'email', id, code } = request.body;
        const ctx = await visitorCtx(request, visit.page);
        try {
          const token = await openWithCode(ctx, id, code.trim());
          return choicesPage(visit, {
            token,
            subscription: await readSubscription(request.server.system, 'manage', token),
            saved: false,
          });
        } catch (error) {
          if (error instanceof Problem && error.code === 'INVALID_CODE')
            return codePage(visit, { channel, id, wrong: true });
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

type ClaimedForm = Partial<Claim> & { fault?: boolean };

/** The form for the address whose subscription is opened. A page that offers no text messages has the one for mails. */
async function claimForm(visit: Visit, { channel: asked, address = '', fault = false }: ClaimedForm): Promise<Reply> {
  const { request, voice, page, query } = visit;
  const { view } = await momentOn(request.server.system, page);
  const texts = view.channels.includes('sms');
  const byPhone = texts && asked === 'sms';
  const { say } = voice;
  const wrong = fault ? raw(' aria-invalid="true" aria-describedby="fault"') : '';
  const input = byPhone
    ? html`<label>${say('subscribe.phone')}<input type="tel" name="phone" value="${address}" placeholder="+49 1512 3456789" required autocomplete="tel" maxlength="40"${wrong}></label>`
    : html`<label>${say('subscribe.email')}<input type="email" name="email" value="${address}" required autocomplete="email" maxlength="254"${wrong}></label>`;
  const other = `${pathOn(page, '/status/manage')}${queryOn(page, { lang: voice.language, channel: byPhone ? 'email' : 'sms' })}`;
  return panel(visit, {
    title: say('manage.title'),
    status: fault ? 400 : 200,
    body: html`${fault ? html`<p class="fault" id="fault" role="alert">${say('subscribe.wrong')}</p>` : ''}<p>${say(byPhone ? 'manage.phoneIntro' : 'manage.intro')}</p><form method="post" action="${pathOn(page, '/status/manage')}${query}">${input}<button>${say('manage.send')}</button></form>
${texts ? html`<p class="small"><a href="${other}">${say(byPhone ? 'manage.byEmail' : 'manage.byPhone')}</a></p>` : ''}`,
  });
}

async function claimed(visit: Visit, { email, phone }: Static<typeof ClaimForm>): Promise<Reply> {
  const channel = phone === undefined ? 'email' : 'sms';
  const address = (phone ?? email ?? '').trim();
  const ctx = await visitorCtx(visit.request, visit.page);
  await takeTurn(ctx, 'status-manage');
  if (channel === 'email' && !Value.Check(KnownEmail, address)) return claimForm(visit, { channel, fault: true });
  try {
    const known = channel === 'sms' ? normalisePhone(address) : address;
    return await codePage(visit, { channel, id: await sendCode(ctx, { channel, address: known }) });
  } catch (error) {
    if (error instanceof Problem && error.code === 'VALIDATION_FAILED')
      return claimForm(visit, { channel, address, fault: true });
    throw error;
  }
}

function codePage(
  visit: Visit,
  { channel, id, wrong = false }: { channel: Claim['channel']; id: string; wrong?: boolean },
): Promise<Reply> {
  const { voice, page, query } = visit;
  return panel(visit, {
    title: voice.say('manage.title'),
    status: wrong ? 400 : 200,
    body: html`${wrong ? html`<p class="fault" role="alert">${voice.say('manage.wrong')}</p>` : ''}<p>${voice.say(channel === 'sms' ? 'manage.phoneCodeIntro' : 'manage.codeIntro')}</p><form method="post" action="${pathOn(page, '/status/manage/code')}${query}"><input type="hidden" name="channel" value="${channel}"><input type="hidden" name="id" value="${id}"><label>${voice.say('manage.code')}<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20"></label><button>${voice.say('manage.open')}</button></form>`,
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
      body: html`<p class="soft"><bdi dir="ltr">${row.address}</bdi></p>${saved ? html`<p role="status"><strong>${voice.say('manage.saved')}</strong></p>` : ''}
<form method="post" action="${save}"><input type="hidden" name="token" value="${token}"><fieldset><legend><strong>${voice.say('manage.choose')}</strong></legend><p class="small soft">${voice.say('subscribe.all')}</p>${componentChoices({ view, nameOf: namesOf(view, voice) }, row.component_ids)}</fieldset><button>${voice.say('manage.save')}</button></form>
<form method="post" action="/status/unsubscribe?token=${encodeURIComponent(end)}&amp;lang=${voice.language}"><button>${voice.say('unsubscribe.button')}</button></form>`,
    },
  );
}

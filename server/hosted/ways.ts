import { html } from 'hono/html';
import { hasConnections } from '#connections';
import { enabledProviders } from '#identity-providers';
import { form, icon, type Markup } from '#pages';
import { usersById } from '#people';
import { emailAddressField, guardedForm, identifierField, passkeyFault, passwordField } from './fields.ts';
import type { Flow } from './flow.ts';
import { lastWayOf } from './last-way.ts';

/** A way in as a page offers it. `way` is what the device remembers of it. */
type Offer = { ways: readonly string[]; render: (style: '' | 'second') => Markup };

/** How many ways stand beside the form; the others are a click away. */
const SHOWN = 2;

/** The page with the ways in for the name that was typed; the first page, where it asks for everything at once. */
export function pageOfWays({ settings, step }: Flow): '' | '/password' | '/ways' {
  if (settings.signInLayout === 'combined' || step.identifier === undefined) return '';
  return settings.signInMethods.includes('password') ? '/password' : '/ways';
}

/** True if a name may lead to the connection of an organization. */
async function mayLeadHome({ ctx, step, interaction }: Flow): Promise<boolean> {
  return !step.link && !interaction.asked.ownProof && (await hasConnections(ctx));
}

/** What the first page offers: a form, beside it two ways, and the others behind a click. */
export async function waysIn(flow: Flow, { isStepUp }: { isStepUp: boolean }): Promise<Markup> {
  const { settings, voice, interaction, step } = flow;
  const { say } = voice;
  const known = isStepUp ? await knownName(flow) : undefined;
  const registration =
    settings.registration === 'open' && known === undefined
      ? html`<p class="after">${say('signIn.noAccount')} <a data-carry href="${flow.place.base}/register">${say('signUp.action')}</a></p>`
      : '';
  const identifier = step.identifier ?? interaction.asked.loginHint ?? undefined;
  const ways =
    known === undefined ? await waysOfAnyone(flow, identifier) : await waysOfName(flow, { name: known, page: '' });
  return html`${ways}${registration}${form(flow, '/cancel', html`<button class="plain">${say('action.cancel')}</button>`)}`;
}

async function waysOfAnyone(flow: Flow, identifier: string | undefined): Promise<Markup> {
  const { say } = flow.voice;
  const isCombined = flow.settings.signInLayout === 'combined';
  const leadsHome = await mayLeadHome(flow);
  const nameFirst = !isCombined || leadsHome;
  const hasPassword = has(flow, 'password');
  const hasMessages = has(flow, 'magic_link') || has(flow, 'email_code') || has(flow, 'phone');
  const name = identifierField(say, identifier);
  const asked = nameFirst
    ? html`${name}<button>${say('action.continue')}</button>`
    : html`${name}${passwordField(say, { label: say('password.label'), kind: 'current' })}${forgotLink(flow)}<button>${say('signIn.action')}</button>`;
  const hasForm = hasPassword || leadsHome || (!isCombined && hasMessages);
  // Where the name comes first, messages follow it.
  const messages = isCombined ? messageOffers(flow, identifier) : [];
  const offers = [passkeyOffer(flow), ...messages, ...(await providers(flow))];
  return html`${hasForm ? guardedForm(flow, '', asked) : ''}${beside(flow, offers, { hasForm })}`;
}

/**
 * The ways in for one name: the same whether or not it has an account.
 * @param page where its form is sent
 */
export async function waysOfName(
  flow: Flow,
  { name, page }: { name: string; page: '' | '/password' },
): Promise<Markup> {
  const { say } = flow.voice;
  const hasForm = has(flow, 'password');
  const change =
    page === ''
      ? html`<form method="post" action="${flow.place.base}/continue"><input type="hidden" name="as" value="another"><button class="plain">${say('consent.notYou')}</button></form>`
      : html`<a href="${flow.place.base}">${say('account.change')}</a>`;
  const account = html`<p class="named lead"><span dir="auto">${name}</span>${page === '' ? '' : change}</p>`;
  // Password managers save and fill the password with the name.
  const shown = html`<input type="${page === '' ? 'hidden' : 'text'}" name="identifier" value="${name}" autocomplete="username" hidden readonly>`;
  const password = html`${shown}${passwordField(say, { label: say('password.label'), kind: 'current', focus: true })}${forgotLink(flow)}<button>${say('signIn.action')}</button>`;
  // The first page offers the providers; without them, a page without a form could be empty.
  const offersProviders = page === '' || !hasForm;
  const offers = [...messagesTo(flow, name), passkeyOffer(flow), ...(offersProviders ? await providers(flow) : [])];
  return html`${account}${hasForm ? guardedForm(flow, page, password) : ''}${beside(flow, offers, { hasForm })}${page === '' ? change : ''}`;
}

/** The name of the person who must prove again that it is them; undefined where a name may lead elsewhere. */
async function knownName(flow: Flow): Promise<string | undefined> {
  const { interaction, settings, ctx } = flow;
  if (settings.signInLayout === 'combined' || (await mayLeadHome(flow)) || !interaction.current) return undefined;
  const { userId } = interaction.current;
  const user = (await usersById(ctx, [userId])).get(userId);
  return user?.email ?? user?.username ?? user?.phone ?? undefined;
}

function has({ settings }: Flow, method: Flow['settings']['signInMethods'][number]): boolean {
  return settings.signInMethods.includes(method);
}

/** At most two ways, the last used first; one more takes the room of the line that would hide it. */
function beside(flow: Flow, all: readonly (Offer | null)[], { hasForm }: { hasForm: boolean }): Markup {
  const { say } = flow.voice;
  const offers = all.filter((offer) => offer !== null);
  if (offers.length === 0) return html``;
  const isFirst = ({ ways }: Offer) => wasLast(flow, ways);
  const sorted = [...offers.filter(isFirst), ...offers.filter((offer) => !isFirst(offer))];
  const shown = sorted.length === SHOWN + 1 ? sorted : sorted.slice(0, SHOWN);
  const others = sorted.slice(shown.length);
  const hidden =
    others.length > 0
      ? html`<details class="others"><summary>${say('signIn.otherWays')}</summary><div class="list">${others.map(({ render }) => render('second'))}</div></details>`
      : '';
  return html`${hasForm ? html`<div class="or">${say('signIn.or')}</div>` : ''}<div class="list">${shown.map(({ render }, index) => render(hasForm || index > 0 ? 'second' : ''))}</div>${hidden}`;
}

/** True if one of these ways was last used here. */
function wasLast(flow: Flow, ways: readonly string[]): boolean {
  const last = lastWayOf(flow);
  return last !== null && ways.includes(last);
}

/** Stands in the button of the way that was last used here. */
function markOf(flow: Flow, ways: readonly string[]): Markup | '' {
  return wasLast(flow, ways) ? html`<span class="last">${flow.voice.say('signIn.lastUsed')}</span>` : '';
}

function forgotLink({ place, voice: { say } }: Flow): Markup {
  return html`<div class="row"><a data-carry href="${place.base}/forgot">${say('forgot.link')}</a></div>`;
}

/** Hidden until the script shows it, because it needs JavaScript. */
function passkeyOffer(flow: Flow): Offer | null {
  if (!has(flow, 'passkey')) return null;
  const ways = ['passkey'];
  return {
    ways,
    render: (style) =>
      html`<form class="needs-script" method="post" action="${flow.place.base}/passkey" data-passkey="${flow.place.base}/passkey-options">${passkeyFault(flow)}<input type="hidden" name="flowId"><input type="hidden" name="response"><button class="${style}">${icon('passkey')}${flow.voice.say('passkey.action')}${markOf(flow, ways)}</button></form>`,
  };
}

async function providers(flow: Flow): Promise<Offer[]> {
  if (!has(flow, 'social')) return [];
  return (await enabledProviders(flow.ctx)).map(({ id, name, preset }) => {
    const ways = [`provider:${id}`];
    return {
      ways,
      render: (style) =>
        html`<a class="button ${style}" href="${flow.place.base}/provider/${id}">${icon(preset)}${flow.voice.say('signIn.provider', { provider: name })}${markOf(flow, ways)}</a>`,
    };
  });
}

const MAILS = ['magic_link', 'email_code'] as const;
const MESSAGES = { magic_link: 'signIn.link', email_code: 'signIn.code', phone: 'signIn.phone' } as const;

/** A message to the name that was typed, if it is an address or a phone number. */
function messagesTo(flow: Flow, name: string): Offer[] {
  const isPhone = /^\+[\d\s().-]{6,}$/.test(name);
  const fitting = [...(name.includes('@') ? MAILS : []), ...(isPhone ? (['phone'] as const) : [])];
  const offers = fitting
    .filter((way) => has(flow, way))
    .map((way): Offer => {
      const ways = [way];
      return {
        ways,
        render: (style) =>
          guardedForm(
            flow,
            '/send',
            html`<input type="hidden" name="way" value="${way}"><input type="hidden" name="address" value="${name}"><button class="${style}">${icon(way === 'phone' ? 'phone' : 'mail')}${flow.voice.say(MESSAGES[way])}${markOf(flow, ways)}</button>`,
          ),
      };
    });
  return offers.length > 0 || has(flow, 'password') ? offers : messageOffers(flow, undefined);
}

/** Messages to an address that is asked for. */
function messageOffers(flow: Flow, identifier: string | undefined): Offer[] {
  const { say } = flow.voice;
  const mails = MAILS.filter((way) => has(flow, way));
  const byMail = (): Markup =>
    guardedForm(
      flow,
      '/send',
      html`${emailAddressField(say, { name: 'address', value: identifier })}${mails.map((way) => html`<button class="second" name="way" value="${way}">${say(MESSAGES[way])}</button>`)}`,
    );
  const byPhone = (): Markup =>
    guardedForm(
      flow,
      '/send',
      html`<input type="hidden" name="way" value="phone"><label>${say('phone.label')}<input type="tel" name="address" required maxlength="30" autocomplete="tel" placeholder="+49 …"></label><button class="second">${say('signIn.phone')}</button>`,
    );
  return [
    ...(mails.length > 0
      ? [
          {
            ways: mails,
            render: () =>
              html`<details><summary>${icon('mail')}${say('signIn.byMail')}${markOf(flow, mails)}</summary>${byMail()}</details>`,
          },
        ]
      : []),
    ...(has(flow, 'phone')
      ? [
          {
            ways: ['phone'],
            render: () =>
              html`<details><summary>${icon('phone')}${say('signIn.phone')}${markOf(flow, ['phone'])}</summary>${byPhone()}</details>`,
          },
        ]
      : []),
  ];
}

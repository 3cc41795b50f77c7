import { html } from 'hono/html';
import { Type } from 'typebox';
import { hasConnections } from '#connections';
import { enabledProviders } from '#identity-providers';
import { form, icon, type Markup, type Page } from '#pages';
import { minimumLength, Password } from '#passwords';
import type { Reply } from '#platform/http.ts';
import type { UserId } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import type { Routes } from '#platform/route.ts';
import { type Destination, loginWithPassword, type PasswordlessMethod, register, startPasswordless } from '#sign-in';
import { codeRoutes } from './codes.page.ts';
import { consentPage, decisionRoutes, pickerPage } from './decisions.page.ts';
import { emailField, guardedForm, identifierField, passkeyFault, passwordField } from './fields.ts';
import {
  bindingTo,
  deviceTokenOf,
  explain,
  type Flow,
  faultOf,
  goTo,
  markOf,
  proceed,
  type Sent,
  show,
} from './flow.ts';
import { action, page } from './forms.ts';
import { routeHome, routeUnasked } from './home-realm.ts';
import { linkingRoutes } from './linking.page.ts';
import { secondFactorRoutes } from './second-factor.page.ts';
import { upstreamRoutes } from './upstream.page.ts';

const text = (maxLength: number) => Type.String({ maxLength });

/** The solved proof-of-work challenge, if the project requires one. */
const proof = Type.Optional(text(2_000));

/** The sign-in pages of an application's authorization request. They work without JavaScript. */
export const signInRoutes: Routes = [
  page('', startPage),
  page('/password', passwordPage),
  page('/register', registerPage),
  action('', {
    fields: Type.Object({ identifier: text(254), password: Type.Optional(Password), proof }),
    act: async (flow, { identifier, password, proof: solved }) => {
      const known: Flow = { ...flow, step: { ...flow.step, identifier } };
      return password === undefined
        ? ((await routeHome(known, identifier)) ?? withoutConnection(known))
        : withPassword(known, { identifier, password, proof: solved, back: '' });
    },
  }),
  action('/password', {
    fields: Type.Object({ password: Password, proof }),
    act: (flow, { password, proof: solved }) =>
      withPassword(flow, { identifier: flow.step.identifier ?? '', password, proof: solved, back: '/password' }),
  }),
  action('/register', {
    counted: 'password',
    fields: Type.Object({ email: text(254), password: Type.Optional(Password), name: Type.Optional(text(200)), proof }),
    act: async (flow, { email, password, name, proof: solved }) => {
      const known: Flow = { ...flow, step: { ...flow.step, identifier: email } };
      try {
        const profile = { ...(name && { displayName: name }), locale: flow.voice.language };
        return await proceed(
          known,
          await register(
            flow.ctx,
            { email, profile, ...(password && { password }), ...(solved && { proof: solved }) },
            markOf(flow),
          ),
        );
      } catch (error) {
        return explain(known, '/register', error);
      }
    },
  }),
  action('/send', {
    back: '',
    fields: Type.Object({ way: Type.Enum(['magic_link', 'email_code', 'phone']), address: text(254), proof }),
    act: sendMessage,
  }),
  ...codeRoutes,
  ...secondFactorRoutes,
  ...upstreamRoutes,
  ...linkingRoutes,
  ...decisionRoutes,
];

/** Asks for the password. A project without passwords offers its sign-in methods on the first page. */
function withoutConnection(flow: Flow): Reply {
  return goTo(flow, flow.settings.signInMethods.includes('password') ? '/password' : '');
}

type PasswordForm = { identifier: string; password: string; proof: string | undefined; back: '' | '/password' };

async function withPassword(flow: Flow, { identifier, password, proof: solved, back }: PasswordForm): Promise<Reply> {
  try {
    const deviceToken = deviceTokenOf(flow);
    return await proceed(
      flow,
      await loginWithPassword(
        flow.ctx,
        { identifier, password, ...(deviceToken && { deviceToken }), ...(solved && { proof: solved }) },
        markOf(flow),
      ),
    );
  } catch (error) {
    return explain(flow, back, error);
  }
}

type MessageForm = { way: PasswordlessMethod; address: string; proof?: string };

async function sendMessage(flow: Flow, { way, address, proof: solved }: MessageForm): Promise<Reply> {
  const known: Flow = { ...flow, step: { ...flow.step, identifier: address } };
  const verifier = randomSecret();
  const { link, provider } = flow.step;
  try {
    const { flowId } = await startPasswordless(flow.ctx, way, {
      address,
      proof: solved,
      pending: { ...(way === 'magic_link' && destinationOf(flow, verifier)), ...begunAs(flow) },
      browser: markOf(flow),
    });
    const sent: Sent = { way, flowId, address };
    return goTo(known, '/code', {
      identifier: address,
      sent,
      verifier,
      ...(link && { link }),
      ...(provider && { provider }),
    });
  } catch (error) {
    return explain(known, '', error);
  }
}

/** Where the mailed link leads: back to this sign-in. */
function destinationOf(flow: Flow, verifier: string): Destination {
  const redirectUri = `${flow.request.address.url}${flow.place.base}/return`;
  return { redirectUri, state: null, binding: bindingTo(verifier), ownPages: true };
}

/** A user who has to authenticate again must use the same account. */
function begunAs({ interaction: { current }, step }: Flow): { begunAs?: UserId } {
  return current && !step.another ? { begunAs: current.userId } : {};
}

/** The first page: what the authorization request requires, or the choice of sign-in methods. */
async function startPage(flow: Flow): Promise<Reply> {
  const { interaction, step } = flow;
  if (interaction.prompt === 'consent') return consentPage(flow);
  if (interaction.current && interaction.prompt === 'select_account' && !step.another) return pickerPage(flow);
  return (await routeUnasked(flow)) ?? show(flow, await firstPage(flow));
}

/** The sign-in form, also for authenticating again and before linking an identity. */
export async function firstPage(flow: Flow): Promise<Page> {
  const { interaction, step } = flow;
  const { say } = flow.voice;
  const stepUp =
    !step.another &&
    interaction.current !== null &&
    interaction.prompt === 'login' &&
    !interaction.reasons.includes('not_a_member');
  const { link } = step;
  return {
    title: link ? say('link.title') : stepUp ? say('stepUp.title') : say('signIn.title'),
    script: true,
    body: html`<p class="lead">${link ? say('link.intro', { address: link.hint, provider: step.provider ?? '' }) : stepUp ? say('stepUp.intro') : say('signIn.to', { application: interaction.application.name })}</p>
${step.notice ? html`<p class="done">${say('reset.done')}</p>` : ''}${faultOf(flow)}${await waysIn(flow)}`,
  };
}

/** Every enabled sign-in method, the most used first. */
async function waysIn(flow: Flow): Promise<Markup> {
  const { settings, voice, step, interaction, ctx } = flow;
  const { say } = voice;
  const open = (method: Flow['settings']['signInMethods'][number]) => settings.signInMethods.includes(method);
  const identifier = step.identifier ?? interaction.asked.loginHint ?? undefined;
  const providers = open('social') ? await enabledProviders(ctx) : [];
  const connects = !step.link && (await hasConnections(ctx));
  const byName = open('password') || connects ? nameForm(flow, { identifier, connects }) : html``;
  const others = html`${open('passkey') ? passkeyButton(flow) : ''}${open('magic_link') || open('email_code') || open('phone') ? messageForms(flow, identifier) : ''}${providers.length > 0 ? html`<div class="list">${providers.map(({ id, name, preset }) => html`<a class="button second" href="${flow.place.base}/provider/${id}">${icon(preset)}${say('signIn.provider', { provider: name })}</a>`)}</div>` : ''}`;
  const divider =
    (open('password') || connects) && settings.signInMethods.length > 1
      ? html`<div class="or">${say('signIn.or')}</div>`
      : '';
  const registration =
    settings.registration === 'open'
      ? html`<p class="after">${say('signIn.noAccount')} <a href="${flow.place.base}/register">${say('signUp.action')}</a></p>`
      : '';
  return html`${byName}${divider}${others}${registration}${form(flow, '/cancel', html`<button class="plain">${say('action.cancel')}</button>`)}`;
}

/** Asks for the name first, if it may lead to a connection; otherwise as the project's layout says. */
function nameForm(flow: Flow, { identifier, connects }: { identifier: string | undefined; connects: boolean }): Markup {
  const { say } = flow.voice;
  const name = identifierField(say, identifier);
  if (connects || flow.settings.signInLayout !== 'combined')
    return guardedForm(flow, '', html`${name}<button>${say('action.continue')}</button>`);
  return guardedForm(
    flow,
    '',
    html`${name}${passwordField(say, { label: say('password.label'), kind: 'current' })}<div class="row"><a href="${flow.place.base}/forgot">${say('forgot.link')}</a></div><button>${say('signIn.action')}</button>`,
  );
}

/** Hidden until the script shows it, because it needs JavaScript. */
function passkeyButton(flow: Flow): Markup {
  const { say } = flow.voice;
  return html`<form class="needs-script" method="post" action="${flow.place.base}/passkey" data-passkey="${flow.place.base}/passkey-options">${passkeyFault(flow)}<input type="hidden" name="flowId"><input type="hidden" name="response"><button class="second">${icon('passkey')}${say('passkey.action')}</button></form>`;
}

function messageForms(flow: Flow, identifier: string | undefined): Markup {
  const { say } = flow.voice;
  const { signInMethods } = flow.settings;
  const mails = (['magic_link', 'email_code'] as const).filter((way) => signInMethods.includes(way));
  const labels = { magic_link: say('signIn.link'), email_code: say('signIn.code') };
  const byMail =
    mails.length > 0
      ? guardedForm(
          flow,
          '/send',
          html`<label>${say('email.label')}<input type="email" name="address" value="${identifier?.includes('@') ? identifier : ''}" required maxlength="254" autocomplete="email" spellcheck="false"></label>${mails.map((way) => html`<button class="second" name="way" value="${way}">${labels[way]}</button>`)}`,
        )
      : '';
  const byPhone = signInMethods.includes('phone')
    ? guardedForm(
        flow,
        '/send',
        html`<input type="hidden" name="way" value="phone"><label>${say('phone.label')}<input type="tel" name="address" required maxlength="30" autocomplete="tel" placeholder="+49 …"></label><button class="second">${say('signIn.phone')}</button>`,
      )
    : '';
  return html`${byMail ? html`<details><summary>${icon('mail')}${say('signIn.byMail')}</summary>${byMail}</details>` : ''}${byPhone ? html`<details><summary>${icon('phone')}${say('signIn.phone')}</summary>${byPhone}</details>` : ''}`;
}

function passwordPage(flow: Flow): Reply {
  const { say } = flow.voice;
  const { identifier } = flow.step;
  if (identifier === undefined) return goTo(flow, '');
  return show(flow, {
    title: say('password.label'),
    script: true,
    body: html`<p class="lead">${identifier} · <a href="${flow.place.base}">${say('action.back')}</a></p>${faultOf(flow)}${guardedForm(flow, '/password', html`<input type="text" value="${identifier}" autocomplete="username" hidden readonly>${passwordField(say, { label: say('password.label'), kind: 'current' })}<div class="row"><a href="${flow.place.base}/forgot">${say('forgot.link')}</a></div><button>${say('signIn.action')}</button>`)}`,
  });
}

function registerPage(flow: Flow): Reply {
  const { say } = flow.voice;
  const { settings, step } = flow;
  if (settings.registration !== 'open') return goTo(flow, '');
  const length = minimumLength(settings);
  const password = settings.signInMethods.includes('password')
    ? passwordField(say, { label: say('password.label'), kind: 'new', length })
    : html``;
  return show(flow, {
    title: say('signUp.title'),
    script: true,
    body: html`<p class="lead">${say('signIn.to', { application: flow.interaction.application.name })}</p>${faultOf(flow)}${guardedForm(flow, '/register', html`<label>${say('profile.name')}<input name="name" maxlength="200" autocomplete="name"></label>${emailField(say, step.identifier)}${password}<button>${say('signUp.action')}</button>`)}<p class="after">${say('signUp.haveAccount')} <a href="${flow.place.base}">${say('signIn.action')}</a></p>`,
  });
}

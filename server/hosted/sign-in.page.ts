import { html } from 'hono/html';
import { Type } from 'typebox';
import type { Page } from '#pages';
import { minimumLength, Password } from '#passwords';
import type { Reply } from '#platform/http.ts';
import type { UserId } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import type { Routes } from '#platform/route.ts';
import { type Destination, loginWithPassword, type PasswordlessMethod, register, startPasswordless } from '#sign-in';
import { codeRoutes } from './codes.page.ts';
import { consentPage, decisionRoutes, pickerPage } from './decisions.page.ts';
import { emailAddressField, guardedForm, passwordField } from './fields.ts';
import {
  bindingTo,
  by,
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
import { passkeyOfferRoutes } from './passkey-offers.page.ts';
import { secondFactorRoutes } from './second-factor.page.ts';
import { upstreamRoutes } from './upstream.page.ts';
import { pageOfWays, waysIn, waysOfName } from './ways.ts';

const text = (maxLength: number) => Type.String({ maxLength });

/** The solved proof-of-work challenge, if the project requires one. */
const proof = Type.Optional(text(2_000));

/** The sign-in pages of an application's authorization request. They work without JavaScript. */
export const signInRoutes: Routes = [
  page('', startPage),
  page('/password', namePage),
  page('/ways', namePage),
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
      const known: Flow = by({ ...flow, step: { ...flow.step, identifier: email } }, 'password');
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
  ...passkeyOfferRoutes,
  ...decisionRoutes,
];

/** Offers the ways in for a name. */
function withoutConnection(flow: Flow): Reply {
  return goTo(flow, flow.settings.signInMethods.includes('password') ? '/password' : '/ways');
}

type PasswordForm = { identifier: string; password: string; proof: string | undefined; back: '' | '/password' };

async function withPassword(flow: Flow, { identifier, password, proof: solved, back }: PasswordForm): Promise<Reply> {
  try {
    const deviceToken = deviceTokenOf(flow);
    return await proceed(
      by(flow, 'password'),
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
  const known: Flow = by({ ...flow, step: { ...flow.step, identifier: address } }, way);
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
      way,
      sent,
      verifier,
      ...(link && { link }),
      ...(provider && { provider }),
    });
  } catch (error) {
    return explain(known, pageOfWays(flow), error);
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
  if (interaction.prompt === 'consent' && !step.another) return consentPage(flow);
  if (interaction.current && interaction.prompt === 'select_account' && !step.another) return pickerPage(flow);
  return (await routeUnasked(flow)) ?? skipToWays(flow) ?? show(flow, await firstPage(flow));
}

/** Asks nothing that the application's request has said already. */
function skipToWays(flow: Flow): Reply | undefined {
  const { interaction, step, settings } = flow;
  const { loginHint } = interaction.asked;
  const isAsked = step.fault || step.notice || step.identifier !== undefined || interaction.current || step.link;
  if (isAsked || loginHint === null || settings.signInLayout === 'combined') return undefined;
  return withoutConnection({ ...flow, step: { ...step, identifier: loginHint } });
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
${step.notice ? html`<p class="done">${say('reset.done')}</p>` : ''}${faultOf(flow)}${await waysIn(flow, { isStepUp: stepUp && !link })}`,
  };
}

/** The ways in for the name that was typed on the first page. */
export async function namePage(flow: Flow): Promise<Reply> {
  const { say } = flow.voice;
  const { identifier } = flow.step;
  if (identifier === undefined) return goTo(flow, '');
  return show(flow, {
    title: say('signIn.title'),
    script: true,
    body: html`${faultOf(flow)}${await waysOfName(flow, { name: identifier, page: '/password' })}`,
  });
}

export function registerPage(flow: Flow): Reply {
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
    body: html`<p class="lead">${say('signIn.to', { application: flow.interaction.application.name })}</p>${faultOf(flow)}${guardedForm(flow, '/register', html`<label>${say('profile.name')}<input name="name" maxlength="200" autocomplete="name"></label>${emailAddressField(say, { name: 'email', value: step.identifier })}${password}<button>${say('signUp.action')}</button>`)}<p class="after">${say('signUp.haveAccount')} <a data-carry href="${flow.place.base}">${say('signIn.action')}</a></p>`,
  });
}

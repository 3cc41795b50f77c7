import { html } from 'hono/html';
import { Type } from 'typebox';
import { form } from '#pages';
import { minimumLength, Password } from '#passwords';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { resendAddressChallenge } from '#proofs';
import { finishPasswordless, forgotPassword, resetPassword, verifyAddress } from '#sign-in';
import { codeField, guardedForm, identifierField, passwordField } from './fields.ts';
import { deviceTokenOf, explain, type Flow, faultOf, goTo, proceed, type Sent, show } from './flow.ts';
import { action, page } from './forms.ts';
import { pageOfWays } from './ways.ts';

const Code = Type.String({ minLength: 6, maxLength: 12 });

/** Entering a code that was sent, and resetting a password with one. */
export const codeRoutes: Routes = [
  page('/code', (flow) => withSent(flow, (sent) => codePage(flow, sent))),
  page('/forgot', forgotPage),
  page('/reset', (flow) => withSent(flow, (sent) => resetPage(flow, sent))),
  action('/code', {
    fields: Type.Object({ code: Code }),
    act: (flow, { code }) => withSent(flow, async (sent) => proceed(flow, await finish(flow, sent, digits(code)))),
  }),
  action('/resend', {
    back: '',
    fields: Type.Object({}),
    act: (flow) =>
      withSent(flow, async (sent) => {
        const back = sent.way === 'reset' ? '/reset' : '/code';
        try {
          await resendAddressChallenge(flow.ctx, sent.flowId);
          return goTo(flow, back);
        } catch (error) {
          return explain(flow, back, error);
        }
      }),
  }),
  action('/forgot', {
    fields: Type.Object({
      identifier: Type.String({ minLength: 1, maxLength: 254 }),
      proof: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    act: async (flow, { identifier, proof }) => {
      const { flowId } = await forgotPassword(flow.ctx, { identifier, ...(proof && { proof }) });
      return goTo(flow, '/reset', { identifier, sent: { way: 'reset', flowId, address: identifier } });
    },
  }),
  action('/reset', {
    counted: 'password',
    fields: Type.Object({ code: Code, password: Password }),
    act: (flow, { code, password }) =>
      withSent(flow, async ({ flowId, address }) => {
        await resetPassword(flow.ctx, { flowId, code: digits(code) }, password);
        return goTo(flow, '', { identifier: address, notice: 'reset' });
      }),
  }),
];

/** Removes spaces, which people type in codes and phones insert. */
function digits(typed: string): string {
  return typed.replaceAll(/\s/g, '');
}

function withSent(flow: Flow, work: (sent: Sent) => Promise<Reply> | Reply): Promise<Reply> | Reply {
  return flow.step.sent ? work(flow.step.sent) : goTo(flow, '');
}

function finish(flow: Flow, { way, flowId }: Sent, code: string) {
  const proof = { flowId, code };
  const deviceToken = deviceTokenOf(flow);
  if (way === 'verify' || way === 'reset') return verifyAddress(flow.ctx, proof, { deviceToken });
  return finishPasswordless(flow.ctx, way, { proof, deviceToken });
}

export function codePage(flow: Flow, { address, way }: Sent): Reply {
  const { say } = flow.voice;
  const { magicLinkSeconds, oneTimeCodeSeconds } = flow.settings;
  const minutes = Math.round((way === 'magic_link' ? magicLinkSeconds : oneTimeCodeSeconds) / 60);
  return show(flow, {
    title: say('code.title'),
    body: html`<p class="lead">${say('code.intro', { address, minutes })}</p>${faultOf(flow)}${form(flow, '/code', html`${codeField(say, 'numeric')}<button>${say('action.continue')}</button>`)}${form(flow, '/resend', html`<button class="plain">${say('action.resend')}</button>`)}<p class="after"><a href="${flow.place.base}${pageOfWays(flow)}">${say('mfa.other')}</a></p>`,
  });
}

export function forgotPage(flow: Flow): Reply {
  const { say } = flow.voice;
  return show(flow, {
    title: say('forgot.title'),
    body: html`<p class="lead">${say('forgot.intro')}</p>${faultOf(flow)}${guardedForm(flow, '/forgot', html`${identifierField(say, flow.step.identifier)}<button>${say('action.continue')}</button>`)}<p class="after"><a href="${flow.place.base}">${say('action.back')}</a></p>`,
  });
}

export function resetPage(flow: Flow, { address }: Sent): Reply {
  const { say } = flow.voice;
  const length = minimumLength(flow.settings);
  return show(flow, {
    title: say('reset.title'),
    script: true,
    body: html`<p class="lead">${say('reset.intro', { address })}</p>${faultOf(flow)}${form(flow, '/reset', html`${codeField(say, 'numeric')}${passwordField(say, { label: say('password.new'), kind: 'new', length })}<button>${say('action.continue')}</button>`)}${form(flow, '/resend', html`<button class="plain">${say('action.resend')}</button>`)}`,
  });
}

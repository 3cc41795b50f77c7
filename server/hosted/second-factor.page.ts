import { html, raw } from 'hono/html';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { enrolTotpFor, finishEnrolment, finishWithFactor, promptFactor } from '#mfa';
import { findChallenge } from '#mfa-challenges';
import { form, type TextId } from '#pages';
import type { Reply } from '#platform/http.ts';
import { Problem, problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { loginWithPasskey, PasskeyLogin, passkeyOptions } from '#sign-in';
import { codeField, passkeyFault, recoveryCodeList } from './fields.ts';
import { by, explain, type Flow, faultOf, goOn, goTo, proceed, show } from './flow.ts';
import { action, page } from './forms.ts';

const Remember = Type.Optional(Type.Literal('yes'));
type Challenge = NonNullable<Flow['step']['mfa']>;
type Factor = Challenge['factors'][number];

/** Second factors, passkeys, and enrolment of a factor if the policy requires one. */
export const secondFactorRoutes: Routes = [
  page('/mfa', (flow) => withChallenge(flow, (mfa) => factorPage(flow, mfa))),
  page('/enroll', (flow) => withChallenge(flow, (mfa) => enrolPage(flow, mfa))),
  page('/recovery-codes', recoveryCodesPage),
  page('/passkey-options', async (flow) => flow.reply.send(await passkeyOptions(flow.ctx))),
  page('/mfa/passkey-options', (flow) =>
    withChallenge(flow, async (mfa) =>
      flow.reply.send(await promptFactor(flow.ctx, await challengeOf(flow, mfa), 'passkey')),
    ),
  ),
  action('/passkey', {
    back: '',
    fields: Type.Object({ flowId: PasskeyLogin.properties.flowId, response: Type.String({ maxLength: 20_000 }) }),
    act: async (flow, { flowId, response }) =>
      proceed(by(flow, 'passkey'), await loginWithPasskey(flow.ctx, { flowId, response: assertionOf(response) })),
  }),
  action('/mfa/factor', {
    back: '/mfa',
    fields: Type.Object({ factorId: Type.String({ maxLength: 40 }) }),
    act: (flow, { factorId }) =>
      withChallenge(flow, async (mfa) => {
        const chosen: Flow = { ...flow, step: { ...flow.step, factorId } };
        try {
          if (factorId !== 'passkey') await promptFactor(flow.ctx, await challengeOf(flow, mfa), factorId);
          return goTo(chosen, '/mfa');
        } catch (error) {
          // No text message can be sent, so another factor is offered instead.
          const unsent = error instanceof Problem && error.status === 402;
          return again(unsent ? flow : chosen, '/mfa', error);
        }
      }),
  }),
  action('/mfa', {
    fields: Type.Object({
      code: Type.Optional(Type.String({ minLength: 6, maxLength: 20, pattern: '^[0-9A-Za-z -]+$' })),
      flowId: Type.Optional(PasskeyLogin.properties.flowId),
      response: Type.Optional(Type.String({ maxLength: 20_000 })),
      remember: Remember,
    }),
    act: (flow, { code, flowId, response, remember }) =>
      withChallenge(flow, async (mfa) => {
        const { factorId } = flow.step;
        try {
          const session = await finishWithFactor(flow.ctx, await challengeOf(flow, mfa), {
            ...(factorId && factorId !== 'passkey' && { factorId }),
            ...(code !== undefined && { code: code.trim() }),
            ...(flowId && response && { flowId, response: assertionOf(response) }),
            rememberDevice: remember === 'yes',
          });
          return await proceed(flow, session);
        } catch (error) {
          return again(flow, '/mfa', error);
        }
      }),
  }),
  action('/enroll', {
    fields: Type.Object({
      code: Type.String({ minLength: 6, maxLength: 9, pattern: '^[0-9 ]+$' }),
      remember: Remember,
    }),
    act: (flow, { code, remember }) =>
      withChallenge(flow, async (mfa) => {
        const { enrolment } = flow.step;
        if (!enrolment) return goTo(flow, '/enroll');
        try {
          const session = await finishEnrolment(flow.ctx, await challengeOf(flow, mfa), {
            factorId: enrolment.id,
            code,
            rememberDevice: remember === 'yes',
          });
          return await proceed(flow, session);
        } catch (error) {
          return again(flow, '/enroll', error);
        }
      }),
  }),
  action('/recovery-codes', {
    fields: Type.Object({}),
    act: (flow) => {
      const { recoveryCodes: _shown, ...step } = flow.step;
      return goOn({ ...flow, step });
    },
  }),
];

/**
 * The browser's assertion from the form field that the script filled.
 * @throws Problem INVALID_CREDENTIALS
 */
function assertionOf(json: string) {
  try {
    return Value.Parse(PasskeyLogin.properties.response, JSON.parse(json));
  } catch {
    throw problem('INVALID_CREDENTIALS');
  }
}

/** Shows the question again; after it has expired (ten minutes or five wrong codes), the first page. */
function again(flow: Flow, back: '/mfa' | '/enroll', error: unknown): Reply {
  const over = error instanceof Problem && error.code === 'INVALID_TOKEN';
  const { mfa: _over, enrolment: _too, ...step } = flow.step;
  return over ? explain({ ...flow, step }, '', error) : explain(flow, back, error);
}

function withChallenge(flow: Flow, work: (mfa: Challenge) => Promise<Reply> | Reply): Promise<Reply> | Reply {
  return flow.step.mfa ? work(flow.step.mfa) : goTo(flow, '');
}

async function challengeOf({ ctx }: Flow, { mfaToken }: Challenge) {
  const { challenge } = await findChallenge(ctx.system, ctx.scope.environment, mfaToken);
  return challenge;
}

const INTROS: Readonly<Record<Factor['type'], TextId>> = {
  passkey: 'mfa.intro.passkey',
  phone: 'mfa.intro.phone',
  recovery_code: 'mfa.intro.recovery',
  totp: 'mfa.intro.totp',
};
const CHOICES: Readonly<Record<Factor['type'], TextId>> = {
  passkey: 'mfa.passkey',
  phone: 'mfa.phone',
  recovery_code: 'mfa.recovery',
  totp: 'mfa.totp',
};

/**
 * Asks for one factor; the others are a click away. A text message is sent only after the user chose the phone, because
 * it costs.
 */
export function factorPage(flow: Flow, mfa: Challenge): Reply {
  const { say } = flow.voice;
  const first = mfa.factors.find(({ type }) => type === 'totp') ?? mfa.factors.find(({ type }) => type !== 'phone');
  const chosen = mfa.factors.find(({ id }) => id === flow.step.factorId) ?? first;
  const others = mfa.factors.filter((factor) => factor !== chosen);
  const hint = chosen?.hint ?? '';
  return show(flow, {
    title: say('mfa.title'),
    script: mfa.factors.some(({ type }) => type === 'passkey'),
    body: html`${chosen ? html`<p class="lead">${say(INTROS[chosen.type], { hint })}</p>` : ''}${faultOf(flow)}${chosen ? question(flow, chosen) : ''}
${others.length > 0 ? html`<h2>${say('mfa.other')}</h2><div class="list">${others.map(({ id, type, hint: shown }) => form(flow, '/mfa/factor', html`<input type="hidden" name="factorId" value="${id}"><button class="second">${say(CHOICES[type], { hint: shown ?? '' })}</button>`))}</div>` : ''}`,
  });
}

function question(flow: Flow, { type }: Factor) {
  const { say } = flow.voice;
  const remember =
    flow.settings.rememberDeviceSeconds > 0
      ? html`<label class="check"><input type="checkbox" name="remember" value="yes">${say('mfa.remember')}</label>`
      : '';
  if (type === 'passkey')
    return html`<form class="needs-script" method="post" action="${flow.place.base}/mfa" data-passkey="${flow.place.base}/mfa/passkey-options">${passkeyFault(flow)}<input type="hidden" name="flowId"><input type="hidden" name="response">${remember}<button>${say('mfa.passkey')}</button></form><p class="no-script">${say('mfa.needsScript')}</p>`;
  return form(
    flow,
    '/mfa',
    html`${codeField(say, type === 'recovery_code' ? 'text' : 'numeric')}${remember}<button>${say('action.continue')}</button>`,
  );
}

/** Keeps one secret for the whole sign-in, so that reloading does not invalidate a scanned code. */
export async function enrolPage(flow: Flow, mfa: Challenge): Promise<Reply> {
  const { say } = flow.voice;
  if (!flow.step.enrolment) {
    const { id, secret, uri } = await enrolTotpFor(flow.ctx, await challengeOf(flow, mfa));
    return goTo(flow, '/enroll', { ...flow.step, enrolment: { id, secret, uri } });
  }
  const { secret, uri } = flow.step.enrolment;
  const { toString: qrCode } = await import('qrcode');
  const picture = await qrCode(uri, { type: 'svg', margin: 1 });
  return show(flow, {
    title: say('mfa.enrollTitle'),
    body: html`<p class="lead">${say('mfa.enrollIntro')}</p>${faultOf(flow)}<div class="qr" role="img" aria-label="QR">${raw(picture)}</div><p class="hint">${say('mfa.enrollManual')} <code>${secret}</code></p>${form(flow, '/enroll', html`${codeField(say, 'numeric')}<button>${say('action.continue')}</button>`)}`,
  });
}

export function recoveryCodesPage(flow: Flow): Reply {
  const { say } = flow.voice;
  const { recoveryCodes } = flow.step;
  if (!recoveryCodes) return goTo(flow, '');
  return show(flow, {
    title: say('mfa.recoveryCodes'),
    script: true,
    body: html`<p class="lead">${say('mfa.recoveryIntro')}</p>${recoveryCodeList(flow.voice, recoveryCodes)}${form(flow, '/recovery-codes', html`<button>${say('action.continue')}</button>`)}`,
  });
}

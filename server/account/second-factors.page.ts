import { html, raw } from 'hono/html';
import { Type } from 'typebox';
import { codeField, recoveryCodeList } from '#hosted';
import { newTotp } from '#mfa';
import { form } from '#pages';
import { transaction } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import { normalisePhone, Phone } from '#platform/identifiers.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { OneTimeCode } from '#proofs';
import { confirmOwnTotp, confirmPhoneFactor, renewRecoveryCodes, securityOf, startPhoneFactor } from '#self';
import { codePage } from './addresses.page.ts';
import { action, page } from './forms.ts';
import { formCard, show } from './show.ts';
import { explain, goTo, type Visit } from './visit.ts';

const freshProof = 'second factor';

/** Second factors, and the recovery codes that stand in for them. */
export const secondFactorRoutes: Routes = [
  page('/authenticator', authenticatorPage, { freshProof }),
  action('/authenticator', {
    freshProof,
    fields: Type.Object({ code: OneTimeCode }),
    act: async (visit, { code }) => {
      const { enrolment } = visit.step;
      if (!enrolment) return goTo(visit, '/authenticator', {});
      return done(visit, await confirmOwnTotp(visit.ctx, { id: enrolment.id, code }));
    },
  }),
  page('/phone-factor', phonePage, { freshProof }),
  action('/phone-factor', {
    freshProof,
    fields: Type.Object({ phone: Phone }),
    act: async (visit, { phone }) => {
      const { flowId } = await startPhoneFactor(visit.ctx, phone);
      const sent = { kind: 'phone_factor', flowId, address: normalisePhone(phone) } as const;
      return goTo(visit, '/phone-factor/code', { sent });
    },
  }),
  page(
    '/phone-factor/code',
    (visit) => codePage(visit, { kind: 'phone_factor', section: '/security', back: '/phone-factor' }),
    { freshProof },
  ),
  action('/phone-factor/code', {
    freshProof,
    fields: Type.Object({ code: OneTimeCode }),
    act: async (visit, { code }) => {
      const { sent } = visit.step;
      if (sent?.kind !== 'phone_factor') return goTo(visit, '/phone-factor', {});
      return done(visit, await confirmPhoneFactor(visit.ctx, { flowId: sent.flowId, code }));
    },
  }),
  page('/recovery-codes', recoveryCodesPage),
  action('/recovery-codes', { fields: Type.Object({}), act: (visit) => goTo(visit, '/security', {}) }),
  page('/recovery-codes/new', newCodesPage, { freshProof }),
  action('/recovery-codes/new', {
    freshProof,
    fields: Type.Object({}),
    act: async (visit) => done(visit, await renewRecoveryCodes(visit.ctx)),
  }),
];

/** Adding the first factor creates recovery codes, which are shown once. */
export function done(visit: Visit, { recoveryCodes }: { recoveryCodes?: string[] }): Reply {
  return recoveryCodes
    ? goTo(visit, '/recovery-codes', { recoveryCodes })
    : goTo(visit, '/security', { notice: 'saved' });
}

/** Keeps one secret while the page is open, so that reloading does not invalidate a scanned code. */
async function authenticatorPage(visit: Visit): Promise<Reply> {
  const { voice, ctx, profile, step } = visit;
  const { say } = voice;
  const { mfa } = await securityOf(ctx);
  if (mfa.factors.some(({ type }) => type === 'totp')) return explain(visit, '/security', problem('ALREADY_EXISTS'));
  if (!step.enrolment) {
    try {
      const { id, secret, uri } = await transaction(ctx, (tx) => newTotp(tx, profile.userId));
      return goTo(visit, '/authenticator', { enrolment: { id, secret, uri } });
    } catch (error) {
      return explain(visit, '/security', error);
    }
  }
  const { secret, uri } = step.enrolment;
  const { toString: qrCode } = await import('qrcode');
  const picture = await qrCode(uri, { type: 'svg', margin: 1 });
  return show(visit, {
    section: '/security',
    title: say('account.totp'),
    body: formCard(
      visit,
      '/security',
      html`<p class="lead">${say('mfa.enrollIntro')}</p><div class="qr" role="img" aria-label="QR">${raw(picture)}</div><p class="hint">${say('mfa.enrollManual')} <code>${secret}</code></p>${form(visit, '/authenticator', html`${codeField(say, 'numeric')}<button>${say('action.continue')}</button>`)}`,
    ),
  });
}

function phonePage(visit: Visit): Reply {
  const { say } = visit.voice;
  return show(visit, {
    section: '/security',
    title: say('account.phoneFactor'),
    body: formCard(
      visit,
      '/security',
      html`<p class="lead">${say('account.phoneFactorIntro')}</p>${form(visit, '/phone-factor', html`<label>${say('phone.label')}<input type="tel" name="phone" value="${visit.profile.phone ?? ''}" required maxlength="30" autocomplete="tel" autofocus></label><p class="hint">${say('account.newPhoneIntro')}</p><button>${say('account.sendCode')}</button>`)}`,
    ),
  });
}

export function recoveryCodesPage(visit: Visit): Reply {
  const { say } = visit.voice;
  const { recoveryCodes } = visit.step;
  if (!recoveryCodes) return goTo(visit, '/security', {});
  return show(visit, {
    section: '/security',
    title: say('mfa.recoveryCodes'),
    script: true,
    body: html`<section class="card"><p class="lead">${say('mfa.recoveryIntro')}</p>${recoveryCodeList(visit.voice, recoveryCodes)}${form(visit, '/recovery-codes', html`<button>${say('action.continue')}</button>`)}</section>`,
  });
}

function newCodesPage(visit: Visit): Reply {
  const { say } = visit.voice;
  return show(visit, {
    section: '/security',
    title: say('account.newCodes'),
    body: formCard(
      visit,
      '/security',
      html`<p class="lead">${say('account.newCodesIntro')}</p>${form(visit, '/recovery-codes/new', html`<button>${say('account.newCodes')}</button>`)}`,
    ),
  });
}

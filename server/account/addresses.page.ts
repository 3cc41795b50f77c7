import { html } from 'hono/html';
import { Type } from 'typebox';
import { codeField } from '#hosted';
import { form } from '#pages';
import type { Reply } from '#platform/http.ts';
import { Email, normaliseEmail, normalisePhone, Phone } from '#platform/identifiers.ts';
import type { Routes } from '#platform/route.ts';
import { OneTimeCode } from '#proofs';
import { finishAddressChange, startAddressChange } from '#self';
import { action, page } from './forms.ts';
import { formCard, show } from './show.ts';
import { goTo, type Visit } from './visit.ts';

const freshProof = 'second factor';

/** A new address takes effect when the code sent to it is entered. */
export const addressRoutes: Routes = [
  page('/email', (visit) => addressPage(visit, 'email'), { freshProof }),
  page('/phone', (visit) => addressPage(visit, 'phone'), { freshProof }),
  action('/email', {
    freshProof,
    fields: Type.Object({ email: Email }),
    act: (visit, { email }) => send(visit, { kind: 'email', value: normaliseEmail(email) }),
  }),
  action('/phone', {
    freshProof,
    fields: Type.Object({ phone: Phone }),
    act: (visit, { phone }) => send(visit, { kind: 'phone', value: normalisePhone(phone) }),
  }),
  ...(['email', 'phone'] as const).flatMap((kind) => [
    page(`/${kind}/confirm`, (visit) => confirmPage(visit, kind), { freshProof }),
    page(`/${kind}/code`, (visit) => codePage(visit, { kind, section: '', back: `/${kind}` }), { freshProof }),
    action(`/${kind}/code`, {
      freshProof,
      fields: Type.Object({ code: OneTimeCode }),
      act: async (visit, { code }) => {
        const { sent } = visit.step;
        if (sent?.kind !== kind) return goTo(visit, `/${kind}`, {});
        await finishAddressChange(visit.ctx, kind, { flowId: sent.flowId, code });
        return goTo(visit, '', { notice: 'saved' });
      },
    }),
  ]),
];

async function send(visit: Visit, { kind, value }: { kind: 'email' | 'phone'; value: string }): Promise<Reply> {
  const { flowId } = await startAddressChange(visit.ctx, { kind, value });
  return goTo(visit, `/${kind}/code`, { sent: { kind, flowId, address: value } });
}

function addressPage(visit: Visit, kind: 'email' | 'phone'): Reply {
  const { say } = visit.voice;
  const field =
    kind === 'email'
      ? html`<label>${say('account.newEmail')}<input type="email" name="email" required maxlength="254" autocomplete="email" spellcheck="false" autofocus></label>`
      : html`<label>${say('account.newPhone')}<input type="tel" name="phone" required maxlength="30" autocomplete="tel" autofocus></label>`;
  return show(visit, {
    section: '',
    title: say(kind === 'email' ? 'account.newEmail' : 'account.newPhone'),
    body: formCard(
      visit,
      '',
      html`<p class="lead">${say(kind === 'email' ? 'account.newEmailIntro' : 'account.newPhoneIntro')}</p>${form(visit, `/${kind}`, html`${field}<button>${say('account.sendCode')}</button>`)}`,
    ),
  });
}

/** Asks the user to verify their current address. */
function confirmPage(visit: Visit, kind: 'email' | 'phone'): Reply {
  const { say } = visit.voice;
  const address = visit.profile[kind];
  if (address === null) return goTo(visit, '', {});
  return show(visit, {
    section: '',
    title: say('mailed.verifyTitle'),
    body: formCard(
      visit,
      '',
      html`<p class="lead">${say('account.confirmIntro', { address })}</p>${form(visit, `/${kind}`, html`<input type="hidden" name="${kind}" value="${address}"><button>${say('account.sendCode')}</button>`)}`,
    ),
  });
}

type Asked = { kind: 'email' | 'phone' | 'phone_factor'; section: '' | '/security'; back: string };

/** Asks for the code that was sent. */
export function codePage(visit: Visit, { kind, section, back }: Asked): Reply {
  const { say } = visit.voice;
  const { sent } = visit.step;
  const minutes = Math.round(visit.settings.oneTimeCodeSeconds / 60);
  if (sent?.kind !== kind) return goTo(visit, back, {});
  return show(visit, {
    section,
    title: say('code.title'),
    body: formCard(
      visit,
      back,
      html`<p class="lead">${say('account.codeSent', { address: sent.address, minutes })}</p>${form(visit, `${back}/code`, html`${codeField(say, 'numeric')}<button>${say('action.continue')}</button>`)}`,
    ),
  });
}

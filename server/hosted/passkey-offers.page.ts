import { html } from 'hono/html';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { form } from '#pages';
import { RegistrationResponse } from '#passkeys';
import type { Reply } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { addOwnPasskey, passkeyCreation } from '#self';
import { requireFreshProof } from '#step-up';
import { type Flow, faultOf, goOn, show } from './flow.ts';
import { action, page } from './forms.ts';
import { rememberDecline } from './passkey-offers.ts';
import { asSignedIn } from './signed-in.ts';

/** The offer of a passkey after a sign-in by another way. It can be declined, and the device remembers that. */
export const passkeyOfferRoutes: Routes = [
  page('/passkey-offer', offerPage),
  page(
    '/passkey-offer/options',
    async (flow) => {
      if (!flow.step.offer) throw problem('AUTHENTICATION_REQUIRED');
      const ctx = await asSignedIn(flow);
      await requireFreshProof(ctx, 'second factor');
      return flow.reply.header('cache-control', 'no-store').send(await passkeyCreation(ctx));
    },
    { counted: 'begin' },
  ),
  action('/passkey-offer', {
    fields: Type.Object({ flowId: IdSchema('chl'), response: Type.String({ maxLength: 120_000 }) }),
    act: async (flow, { flowId, response }) => {
      if (!flow.step.offer) return goOn(flow);
      const ctx = await asSignedIn(flow);
      await requireFreshProof(ctx, 'second factor');
      await addOwnPasskey(ctx, { flowId, response: madeOf(response) });
      return withoutOffer(flow);
    },
  }),
  action('/passkey-offer/decline', {
    back: '/passkey-offer',
    fields: Type.Object({}),
    act: (flow) => {
      rememberDecline(flow);
      return withoutOffer(flow);
    },
  }),
];

function withoutOffer(flow: Flow): Reply {
  const { offer: _made, ...step } = flow.step;
  return goOn({ ...flow, step });
}

/** @throws Problem VALIDATION_FAILED */
function madeOf(json: string) {
  try {
    return Value.Parse(RegistrationResponse, JSON.parse(json));
  } catch {
    throw problem('VALIDATION_FAILED');
  }
}

export function offerPage(flow: Flow): Reply {
  const { say } = flow.voice;
  if (!flow.step.offer) return goOn(flow);
  return show(flow, {
    title: say('passkey.offerTitle'),
    script: true,
    body: html`<p class="lead">${say('passkey.offer')}</p>${faultOf(flow)}<form class="needs-script" method="post" action="${flow.place.base}/passkey-offer" data-new-passkey="${flow.place.base}/passkey-offer/options"><p class="fault" role="alert" hidden>${say('fault.newPasskey')}</p><input type="hidden" name="flowId"><input type="hidden" name="response"><button>${say('passkey.create')}</button></form>${form(flow, '/passkey-offer/decline', html`<button class="plain">${say('link.skip')}</button>`)}`,
  });
}

import { html } from 'hono/html';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { form, type Markup } from '#pages';
import { RegistrationResponse } from '#passkeys';
import { transaction } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { addOwnPasskey, changeOwnPasskey, passkeyCreation, securityOf } from '#self';
import { requireFreshProof } from '#step-up';
import { action, idOf, type Named, page } from './forms.ts';
import { done } from './second-factors.page.ts';
import { formCard, show } from './show.ts';
import { BASE, explain, type Visit, visitOf } from './visit.ts';

const freshProof = 'second factor';
const name = Type.String({ minLength: 1, maxLength: 100 });
const second = Type.Optional(Type.Literal('yes'));

/** Passkeys, created by the page's script. */
export const passkeyRoutes: Routes = [
  page('/passkeys/new', newPage, { freshProof }),
  get('/account/passkeys/options', {
    permission: 'public',
    counted: 'begin',
    freshProof,
    handler: async (request, reply) => {
      const visit = await visitOf(request, reply);
      if (!visit) throw problem('AUTHENTICATION_REQUIRED');
      await requireFreshProof(visit.ctx, freshProof);
      return reply.header('cache-control', 'no-store').send(await passkeyCreation(visit.ctx));
    },
  }),
  action('/passkeys/new', {
    freshProof,
    fields: Type.Object({
      flowId: IdSchema('chl'),
      response: Type.String({ maxLength: 120_000 }),
      name: Type.Optional(Type.String({ maxLength: 100 })),
      second,
    }),
    act: async (visit, { flowId, response, name: given, second: asked }) =>
      done(
        visit,
        await addOwnPasskey(visit.ctx, {
          flowId,
          response: madeOf(response),
          secondFactor: asked === 'yes',
          ...(given?.trim() && { name: given.trim() }),
        }),
      ),
  }),
  page('/passkeys/:id', onePage, { freshProof }),
  action('/passkeys/:id', {
    freshProof,
    fields: Type.Object({ name, second }),
    act: async (visit, { name: given, second: asked }, { id }) => {
      const change = { name: given, secondFactor: asked === 'yes' };
      return done(visit, await transaction(visit.ctx, (tx) => changeOwnPasskey(tx, idOf('psk', id), change)));
    },
  }),
];

/**
 * The new credential from the form field that the script filled.
 * @throws Problem VALIDATION_FAILED
 */
function madeOf(json: string) {
  try {
    return Value.Parse(RegistrationResponse, JSON.parse(json));
  } catch {
    throw problem('VALIDATION_FAILED');
  }
}

export function newPage(visit: Visit): Reply {
  const { say } = visit.voice;
  return show(visit, {
    section: '/security',
    title: say('account.addPasskey'),
    script: true,
    body: formCard(
      visit,
      '/security',
      html`<p class="lead">${say('account.passkeyIntro')}</p><p class="no-script fault">${say('mfa.needsScript')}</p><form class="needs-script" method="post" action="${BASE}/passkeys/new" data-new-passkey="${BASE}/passkeys/options"><p class="fault" role="alert" hidden>${say('fault.newPasskey')}</p><input type="hidden" name="flowId"><input type="hidden" name="response">${fields(visit, { name: '', secondFactor: false })}<button>${say('account.addPasskey')}</button></form>`,
    ),
  });
}

async function onePage(visit: Visit, { id }: Named): Promise<Reply> {
  const { say } = visit.voice;
  const passkey = (await securityOf(visit.ctx)).passkeys.find((own) => own.id === id);
  if (!passkey) return explain(visit, '/security', problem('NOT_FOUND'));
  return show(visit, {
    section: '/security',
    title: say('account.rename'),
    body: formCard(
      visit,
      '/security',
      form(visit, `/passkeys/${passkey.id}`, html`${fields(visit, passkey)}<button>${say('account.save')}</button>`),
    ),
  });
}

function fields({ voice: { say }, settings }: Visit, passkey: { name: string; secondFactor: boolean }): Markup {
  const asked =
    passkey.secondFactor || (settings.mfa !== 'off' && settings.mfaFactors.includes('passkey'))
      ? html`<label class="check"><input type="checkbox" name="second" value="yes"${passkey.secondFactor ? html` checked` : ''}>${say('account.passkeySecond')}</label>`
      : '';
  return html`<label>${say('account.passkeyName')}<input name="name" value="${passkey.name}" maxlength="100" autocomplete="off"${passkey.name ? html` required` : ''}></label>${asked}`;
}

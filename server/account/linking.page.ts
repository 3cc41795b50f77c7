import { html } from 'hono/html';
import { Type } from 'typebox';
import { accountPageId } from '#applications';
import { linkingUrl, linkWithCode, lookAtLinking } from '#federation';
import { upstreamProvider } from '#identity-providers';
import { form } from '#pages';
import type { Reply } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { action, page } from './forms.ts';
import { formCard, show } from './show.ts';
import { BASE, explain, goTo, type Visit } from './visit.ts';

const freshProof = 'second factor';

/** Linking identities by signing in at a provider. */
export const linkingRoutes: Routes = [
  action('/link', {
    freshProof,
    back: '/security',
    fields: Type.Object({ provider: Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' }) }),
    act: async ({ request, reply, ctx }, { provider }) => {
      const redirectUri = `${request.address.url}${BASE}/linked`;
      return reply.redirect(await linkingUrl(ctx, { provider, redirectUri, clientId: accountPageId(ctx.scope) }), 303);
    },
  }),
  page('/linked', linkedPage, { freshProof }),
  action('/linked', {
    freshProof,
    back: '/security',
    fields: Type.Object({}),
    act: async (visit) => {
      await linkWithCode(visit.ctx, codeOf(visit));
      return goTo(visit, '/security', { notice: 'saved' });
    },
  }),
];

/**
 * Shows the identity that the provider returned and asks the user to confirm it, because the browser may have been
 * signed in to another account there.
 */
async function linkedPage(visit: Visit): Promise<Reply> {
  const { code } = Object(visit.request.query);
  // The code is bound to the session that started linking: another page can't link its own identity to the visitor's account.
  if (typeof code === 'string') return goTo(visit, '/linked', { linking: code.slice(0, 200) });
  const { say } = visit.voice;
  try {
    const { provider: key, name } = await lookAtLinking(visit.ctx, codeOf(visit));
    const { name: provider } = await upstreamProvider(visit.ctx, { by: 'key', value: key });
    const address = visit.profile.email ?? visit.profile.username ?? visit.profile.phone ?? '';
    return show(visit, {
      section: '/security',
      title: say('account.link', { provider }),
      body: formCard(
        visit,
        '/security',
        html`<p>${say('link.ask', { provider, name, address })}</p>${form(visit, '/linked', html`<button>${say('account.link', { provider })}</button>`)}`,
      ),
    });
  } catch (error) {
    return explain(visit, '/security', error);
  }
}

/** @throws Problem INVALID_TOKEN if there is no code, as after an error at the provider */
function codeOf({ step: { linking } }: Visit): string {
  if (linking === undefined) throw problem('INVALID_TOKEN');
  return linking;
}

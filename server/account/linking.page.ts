import { Type } from 'typebox';
import { accountPageId } from '#applications';
import { linkingUrl, linkWithCode } from '#auth';
import type { App } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { action, page } from './forms.ts';
import { BASE, explain, goTo } from './visit.ts';

const recent = true;

/** Accounts at providers: linked by signing in there. */
export function linkingRoutes(app: App): void {
  action(app, '/link', {
    recent,
    back: '/security',
    fields: Type.Object({ provider: Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9-]*$' }) }),
    act: async ({ request, reply, ctx }, { provider }) => {
      const redirectUri = `${request.address.url}${BASE}/linked`;
      return reply.redirect(await linkingUrl(ctx, { provider, redirectUri, clientId: accountPageId(ctx.scope) }), 303);
    },
  });

  // The code works once, and for the person only who began: another page can not link its visitor's account with it.
  page(
    app,
    '/linked',
    async (visit) => {
      const { code } = Object(visit.request.query);
      try {
        if (typeof code !== 'string') throw problem('INVALID_TOKEN');
        await linkWithCode(visit.ctx, visit.profile.userId, code);
        return goTo(visit, '/security', { notice: 'saved' });
      } catch (error) {
        return explain(visit, '/security', error);
      }
    },
    { recent },
  );
}

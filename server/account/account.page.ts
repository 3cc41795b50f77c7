import formBody from '@fastify/formbody';
import { html } from 'hono/html';
import { Type } from 'typebox';
import { logout } from '#auth';
import { renderPage, voiceOf } from '#pages';
import type { App, Reply, Request, Routes } from '#platform/http.ts';
import { addressRoutes } from './addresses.page.ts';
import { action } from './forms.ts';
import { linkingRoutes } from './linking.page.ts';
import { membershipRoutes } from './memberships.page.ts';
import { passkeyRoutes } from './passkeys.page.ts';
import { profileRoutes } from './profile.page.ts';
import { removalRoutes } from './removals.page.ts';
import { secondFactorRoutes } from './second-factors.page.ts';
import { securityRoutes } from './security.page.ts';
import { sessionRoutes } from './sessions.page.ts';
import { BASE, cameFrom, scopeAsked, visitOf } from './visit.ts';

/** A person's own account, as pages. They stand on the domain of `/v1/me/*`, and work without JavaScript save for new passkeys. */
export const accountRoutes: Routes = (app) => {
  // Forms are read here, and nowhere else on the host.
  app.register(async (scoped) => {
    await scoped.register(formBody);
    const pages: App = scoped.withTypeProvider();
    comingAndGoing(pages);
    profileRoutes(pages);
    addressRoutes(pages);
    securityRoutes(pages);
    secondFactorRoutes(pages);
    passkeyRoutes(pages);
    linkingRoutes(pages);
    sessionRoutes(pages);
    membershipRoutes(pages);
    removalRoutes(pages);
  });
};

const config = { permission: 'public' } as const;
const schema = { hide: true } as const;

function comingAndGoing(app: App): void {
  app.get('/account/return', { config, schema }, async (request, reply) => {
    const { state, error } = Object(request.query);
    if (error === undefined) return reply.redirect(cameFrom(state), 303);
    // The person did not want to: the page goes on for who is signed in still.
    return (await visitOf(request, reply)) ? reply.redirect(BASE, 303) : outside(request, reply);
  });

  app.get('/account/signed-out', { config, schema }, outside);

  action(app, '/sign-out', {
    back: '',
    fields: Type.Object({}),
    act: async ({ ctx, reply }) => {
      await logout(ctx, false);
      return reply.redirect(`${BASE}/signed-out`, 303);
    },
  });
}

/** For who is not signed in, and did not come to do so. */
async function outside(request: Request, reply: Reply): Promise<Reply> {
  const scope = await scopeAsked(request);
  const voice = await voiceOf({ system: request.server.system, scope, languages: request.trace.languages });
  const { document, headers } = renderPage(voice, {
    title: voice.say('account.title'),
    body: html`<p>${voice.say('account.signedOut')}</p><a class="button" href="${BASE}">${voice.say('signIn.action')}</a>`,
  });
  return reply.headers(headers).serializer(String).send(document);
}

import formBody from '@fastify/formbody';
import { html } from 'hono/html';
import { Type } from 'typebox';
import { accountPageId } from '#applications';
import { renderPage, type TextId, voiceOf } from '#pages';
import type { App, Reply, Request, Routes } from '#platform/http.ts';
import { logout } from '#sign-in';
import { addressRoutes } from './addresses.page.ts';
import { action } from './forms.ts';
import { linkingRoutes } from './linking.page.ts';
import { membershipRoutes } from './memberships.page.ts';
import { ownDataRoutes } from './own-data.page.ts';
import { passkeyRoutes } from './passkeys.page.ts';
import { profileRoutes } from './profile.page.ts';
import { removalRoutes } from './removals.page.ts';
import { secondFactorRoutes } from './second-factors.page.ts';
import { securityRoutes } from './security.page.ts';
import { sessionRoutes } from './sessions.page.ts';
import { BASE, cameFrom, type Farewell, leaveAccount, scopeAsked, visitOf } from './visit.ts';

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
    ownDataRoutes(pages);
  });
};

const config = { permission: 'public' } as const;
const schema = { hide: true } as const;

const FAREWELLS: readonly [Farewell, TextId][] = [
  ['signed-out', 'account.signedOut'],
  ['left', 'account.left'],
  ['erasing', 'account.erasing'],
];

function comingAndGoing(app: App): void {
  app.get('/account/return', { config, schema }, async (request, reply) => {
    const { state, error } = Object(request.query);
    if (error === undefined) return reply.redirect(cameFrom(state), 303);
    // The person did not want to: the page goes on for who is signed in still.
    return (await visitOf(request, reply)) ? reply.redirect(BASE, 303) : outside(request, reply, 'account.signedOut');
  });

  for (const [path, text] of FAREWELLS)
    app.get(`${BASE}/${path}`, { config, schema }, (request, reply) => outside(request, reply, text));

  action(app, '/sign-out', {
    back: '',
    fields: Type.Object({}),
    act: async (visit) => {
      await logout(visit.ctx, false);
      return leaveAccount(visit, 'signed-out');
    },
  });
}

/** For who is not signed in, and did not come to do so. */
async function outside(request: Request, reply: Reply, text: TextId): Promise<Reply> {
  const scope = await scopeAsked(request);
  const voice = await voiceOf({ system: request.server.system, scope, languages: request.trace.languages });
  const { document, headers } = renderPage(voice, {
    title: voice.say('account.title'),
    body: html`<p>${voice.say(text, { project: voice.project })}</p><a class="button" href="${BASE}?clientId=${accountPageId(scope)}">${voice.say('signIn.action')}</a>`,
  });
  return reply.headers(headers).serializer(String).send(document);
}

import { Type } from 'typebox';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import { html, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { get, type Routes } from '#platform/route.ts';
import { beginSignIn, DEV_APP, DEV_APP_CALLBACK, finishSignIn } from './dev-app.ts';
import { consoleNav } from './start.page.ts';

const awayCookie = ({ address }: Request) => cookieName(address, 'dev-app');

/**
 * A small application that signs people in through the hosted pages, to show in development mode what an application
 * receives.
 */
export const devAppRoutes: Routes = [
  get(DEV_APP, {
    permission: 'public',
    query: Type.Object({
      environment: Type.Enum(['test', 'production'], { default: 'test' }),
      organization: Type.Optional(Type.String({ maxLength: 100, description: 'Of the demo, by its slug.' })),
    }),
    handler: async (request, reply) => {
      const { url, kept } = await beginSignIn(request.server.system, request.query);
      reply.setCookie(awayCookie(request), kept, { ...cookieOptions(request.address, 'lax'), maxAge: 3_600 });
      return reply.redirect(url, 303);
    },
  }),
  get(DEV_APP_CALLBACK, { permission: 'public', handler: showClaims }),
];

async function showClaims(request: Request, reply: Reply): Promise<Reply> {
  const { system } = request.server;
  const query = request.url.slice(request.url.indexOf('?'));
  try {
    const { claims, signOut } = await finishSignIn(system, query, request.cookies[awayCookie(request)] ?? '');
    const rows = Object.entries(claims).map(
      ([name, value]) =>
        html`<dt>${name}</dt><dd><code>${typeof value === 'string' ? value : JSON.stringify(value)}</code></dd>`,
    );
    return sendPage(reply, {
      title: 'Signed in',
      nav: consoleNav(system),
      body: html`<h1>You are signed in</h1><p class="soft">This is what an application gets: the claims of the ID token.</p><section class="card"><dl>${rows}</dl></section><p><a href="${signOut}">Sign out</a></p>`,
    });
  } catch (error) {
    return sendPage(reply, {
      title: 'Not signed in',
      status: 400,
      nav: consoleNav(system),
      body: html`<h1>Not signed in</h1><p>${error instanceof Error ? error.message : 'The sign-in failed.'}</p><p><a href="${DEV_APP}">Try again</a></p>`,
    });
  }
}

import { html } from 'hono/html';
import { Type } from 'typebox';
import { accountPageId } from '#applications';
import { renderPage, type TextId, voiceOf } from '#pages';
import { customerOf, transaction } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { get, type Routes } from '#platform/route.ts';
import { beginRound, newRoundState, roundPath, takeParticipants } from '#saml-participants';
import { logout } from '#sign-in';
import { addressRoutes } from './addresses.page.ts';
import { confirmedChangeRoutes } from './confirmed-changes.page.ts';
import { action } from './forms.ts';
import { invitationRoutes } from './invitations.page.ts';
import { linkingRoutes } from './linking.page.ts';
import { membershipRoutes } from './memberships.page.ts';
import { ownDataRoutes } from './own-data.page.ts';
import { passkeyRoutes } from './passkeys.page.ts';
import { profileRoutes } from './profile.page.ts';
import { secondFactorRoutes } from './second-factors.page.ts';
import { securityRoutes } from './security.page.ts';
import { sessionRoutes } from './sessions.page.ts';
import {
  BASE,
  cameFrom,
  type Farewell,
  farewellPath,
  leaveFor,
  sayGoodbye,
  scopeAsked,
  type Visit,
  visitOf,
} from './visit.ts';

const FAREWELLS: readonly [Farewell, TextId][] = [
  ['signed-out', 'account.signedOut'],
  ['left', 'account.left'],
  ['erasing', 'account.erasing'],
];

/**
 * The pages of a person's own account. They share the domain of `/v1/me/*`, and work without JavaScript except for
 * adding passkeys.
 */
export const accountRoutes: Routes = [
  // People type the address of the host.
  get('/', { permission: 'public', handler: (_request, reply) => reply.redirect(BASE, 303) }),
  get('/account/return', {
    permission: 'public',
    handler: async (request, reply) => {
      const { state, error } = Object(request.query);
      if (error === undefined) return reply.redirect(cameFrom(state), 303);
      // The sign-in was cancelled: a visitor who is still signed in stays on the page.
      return (await visitOf(request, reply)) ? reply.redirect(BASE, 303) : outside(request, reply, 'account.signedOut');
    },
  }),
  ...FAREWELLS.map(([path, text]) =>
    get(`${BASE}/${path}`, {
      permission: 'public',
      handler: (request, reply) => outside(request, reply, text),
    }),
  ),
  action('/sign-out', {
    back: '',
    fields: Type.Object({}),
    act: signOut,
  }),
  ...profileRoutes,
  ...addressRoutes,
  ...securityRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...linkingRoutes,
  ...sessionRoutes,
  ...membershipRoutes,
  ...invitationRoutes,
  ...confirmedChangeRoutes,
  ...ownDataRoutes,
];

/** Signs out here, and then at the applications by SAML that share the session. */
async function signOut(visit: Visit): Promise<Reply> {
  const { request, ctx } = visit;
  const { sessionId } = customerOf(ctx);
  const { address } = request;
  const round = await transaction(ctx, async (tx) => {
    const stops = await takeParticipants(tx, [sessionId]);
    await logout(tx, false);
    if (stops.length === 0) return null;
    const state = await newRoundState(tx);
    await beginRound(tx, state, {
      stops,
      end: { kind: 'address', url: address.url + farewellPath(visit, 'signed-out') },
    });
    return roundPath(state);
  });
  if (round === null) return sayGoodbye(visit, 'signed-out');
  return leaveFor(visit, address.url + round);
}

/** The page for a visitor who is not signed in and is not sent to sign in. */
async function outside(request: Request, reply: Reply, text: TextId): Promise<Reply> {
  const scope = await scopeAsked(request);
  const { system } = request.server;
  const voice = await voiceOf({
    system,
    in: { scope, organizationId: request.address.organizationId },
    languages: request.trace.languages,
  });
  const { document, headers } = renderPage(voice, {
    title: voice.say('account.title'),
    body: html`<p>${voice.say(text, { project: voice.project })}</p><a class="button" href="${BASE}?clientId=${accountPageId(scope)}">${voice.say('signIn.action')}</a>`,
  });
  return reply.headers(headers).serializer(String).send(document);
}

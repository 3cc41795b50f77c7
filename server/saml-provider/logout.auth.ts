import { Type } from 'typebox';
import { forms } from '#platform/http-body.ts';
import { Problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { realmOfSecret } from '#requests';
import { receivedInForm, receivedInQuery } from '#saml';
import { ClientOnly, enter, PATH, Posted, page, queryOf } from './enter.ts';
import { goRound, takeLogoutMessage } from './logout.ts';
import { showDead } from './pages.ts';

const described = {
  permission: 'public',
  counted: 'proof',
  params: ClientOnly,
  responses: {
    200: page('A form that the browser sends to the service provider.'),
    303: { type: 'null', description: 'Leads on: to the service provider, or to the next one of the session.' },
    400: page('The message is not accepted.'),
    404: page('There is no such application.'),
  },
} as const;

/** Single logout of applications by SAML (SAML Profiles §4.4). */
export const logoutRoutes: Routes = [
  get(`${PATH}/logout`, {
    ...described,
    summary: 'Log out by SAML as a service provider, by redirect',
    description:
      'A signed LogoutRequest of the service provider ends the sessions that it names, leads the browser through the other service providers of the session, and is answered at the registered address. A LogoutResponse to our request leads on.',
    handler: (request, reply) =>
      enter(request, reply, (visit) => takeLogoutMessage(visit, () => receivedInQuery(queryOf(request)))),
  }),
  post(`${PATH}/logout`, {
    ...described,
    summary: 'Log out by SAML as a service provider, by a form',
    description: 'As by redirect.',
    body: Posted,
    consumes: ['application/x-www-form-urlencoded'],
    plugin: forms,
    handler: (request, reply) =>
      enter(request, reply, (visit) => takeLogoutMessage(visit, () => receivedInForm(request.body))),
  }),
  // A browser's way through the applications that shared a session which has ended.
  get('/saml/logouts/:state', {
    permission: 'public',
    counted: 'begin',
    params: Type.Object({ state: Type.String({ maxLength: 100 }) }),
    handler: async (request, reply) => {
      const { state } = request.params;
      const ctx = await realmOfSecret(request, state).catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'INVALID_TOKEN') return null;
        throw error;
      });
      return ctx ? goRound({ request, reply, ctx }, state) : showDead(request, reply, null);
    },
  }),
];

import { html } from 'hono/html';
import { Type } from 'typebox';
import { type ConnectionId, enabledConnection, initiationState, samlOf, type UsableConnection } from '#connections';
import { transaction } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { IdSchema } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { ctxFor, realmOfSecret } from '#requests';
import {
  formFields,
  logoutResponseXml,
  type Received,
  readLogoutRequest,
  receivedInForm,
  receivedInQuery,
  redirectAddress,
  SamlFault,
  signedXml,
} from '#saml';
import { endLogins, finishLogout } from '#single-logout';
import { isClosed } from '#tenancy';
import { type Here, sendForm, sendPage } from './connection-pages.ts';
import { useUp } from './saml-sign-in.ts';

const PATH = '/v1/auth/login/connections/:connectionId/logout/:place';
const Place = Type.Object({
  connectionId: IdSchema('con'),
  place: Type.String({ maxLength: 60, description: 'The project of the connection, as in its metadata.' }),
});
const Posted = Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 350_000 }));

type Visit = { request: Request; reply: Reply; connectionId: ConnectionId; place: string };

/** Takes a message about a logout, which an identity provider sends with the browser of the person. */
async function take({ request, reply, connectionId, place }: Visit, received: Received): Promise<Reply> {
  const projectId = initiationState.projectIn(place);
  if (!projectId) throw problem('NOT_FOUND');
  const realm = await realmOfSecret(request, place);
  const ctx = ctxFor(request, { ...realm.scope, projectId });
  if (await isClosed(ctx.system, ctx.scope)) throw problem('NOT_FOUND');
  const connection = await enabledConnection(ctx, connectionId);
  if (connection.kind !== 'saml') throw problem('NOT_FOUND');
  const recipient = `${request.address.url}${request.url.replace(/\?.*$/s, '')}`;
  if (received.kind === 'SAMLRequest') return endHere({ request, reply, ctx, connection }, { received, recipient });
  const { returnTo, fault } = await finishLogout(ctx, connection, { received, recipient });
  if (fault) request.log.warn({ err: fault, connectionId }, 'the response to a logout was refused');
  return reply.redirect(returnTo, 303);
}

/** Ends the sessions that the identity provider names, and tells it so. */
async function endHere(
  here: Here & { connection: UsableConnection },
  { received, recipient }: { received: Received; recipient: string },
): Promise<Reply> {
  const { request, reply, ctx, connection } = here;
  const { identityProvider, entityId, privateKeys, signingKey } = samlOf(connection);
  const expected = { ...identityProvider, recipient, now: ctx.system.clock.now() };
  const asked = await refusing(request, async () => {
    const read = await readLogoutRequest(received, expected, privateKeys);
    await transaction(ctx, async (tx) => {
      await useUp(tx, connection, read);
      await endLogins(tx, connection, read);
    });
    return read;
  });
  const { logout } = identityProvider;
  if (!logout)
    return sendPage(here, (say) => ({
      title: say('logout.title'),
      body: html`<p class="done">${say('logout.done')}</p>`,
    }));
  const destination = logout.responseUrl;
  const head = { id: `_${randomSecret()}`, issuedAt: ctx.system.clock.now(), destination, issuer: entityId };
  const xml = logoutResponseXml(head, asked.id, 'success');
  const { relayState } = received;
  if (logout.binding === 'redirect') {
    const sent = { kind: 'SAMLResponse', xml, destination, relayState } as const;
    return reply.redirect(await redirectAddress(sent, signingKey.privateKey), 303);
  }
  const signed = signedXml(xml, 'LogoutResponse', signingKey);
  const fields = formFields({ kind: 'SAMLResponse', xml: signed, relayState });
  return sendForm(here, { action: destination, fields });
}

/** @throws Problem INVALID_TOKEN for a request that is refused */
async function refusing<Result>(request: Request, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof SamlFault)) throw fault;
    request.log.warn({ err: fault }, 'a logout of an identity provider was refused');
    throw problem('INVALID_TOKEN', 'The request to log out is not valid.');
  }
}

/** @throws Problem INVALID_TOKEN for what is no SAML message */
async function wellFormed(read: () => Received | Promise<Received>): Promise<Received> {
  try {
    return await read();
  } catch (fault) {
    if (fault instanceof SamlFault) throw problem('INVALID_TOKEN', fault.message);
    throw fault;
  }
}

const described = {
  permission: 'public',
  counted: 'proof',
  params: Place,
  responses: { 303: Type.Null() },
  problems: ['INVALID_TOKEN', 'NOT_FOUND'],
} as const;

/** The single logout service of connections by SAML. */
export const samlLogoutRoutes: Routes = [
  get(PATH, {
    ...described,
    summary: 'Log out by SAML, by redirect',
    description:
      'A signed LogoutRequest of the identity provider ends the sessions that began with the sessions it names, and is answered. A LogoutResponse to our request leads back to where the logout began.',
    handler: async (request, reply) => {
      const received = await wellFormed(() => receivedInQuery(request.url.split(/\?(.*)/s)[1] ?? ''));
      return take({ request, reply, ...request.params }, received);
    },
  }),
  post(PATH, {
    ...described,
    summary: 'Log out by SAML, by a form',
    description: 'As by redirect.',
    body: Posted,
    plugin: forms,
    handler: async (request, reply) => {
      const received = await wellFormed(() => receivedInForm(request.body));
      return take({ request, reply, ...request.params }, received);
    },
  }),
];

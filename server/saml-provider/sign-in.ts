import { emit } from '#events';
import { withQuery } from '#exchange';
import { type ApplicationSignIn, applicationAt, samlReturnUrl, scopesOf, signInAt } from '#oidc';
import { findOrganizationId } from '#organizations';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { issuing, type Received, SamlFault } from '#saml';
import { signingKey } from '#saml-keys';
import { keepParticipant } from '#saml-participants';
import { lockSession } from '#sessions';
import { type Asked, openAsked, sealAsked } from './asked.ts';
import { asksForTwoFactors, contextOf, knownClasses } from './contexts.ts';
import { addressesAt, authAddresses, type ByAssertion, entityIdOf } from './own-side.ts';
import { sendResponse, showDead, showFault } from './pages.ts';
import { attributesOf, claimsNeeded, nameIdOf, sessionIndexOf } from './statements.ts';

type SignInRequest = ReturnType<typeof issuing.readRequest>;
type Issuing = Parameters<typeof issuing.response>[0];
type Refusal = Parameters<typeof issuing.refusal>[1];

/** A browser at an application by SAML. */
export type Visit = { request: Request; reply: Reply; ctx: Ctx; application: ByAssertion };

/** Parameters that came with a message. */
export type Beside = { relayState: string | null; organization: string | null };

/** SAML allows 80 bytes, and service providers send more (SAML Bindings §3.4.3). */
const MAX_RELAY_STATE = 1_024;
export const TOO_LONG = `RelayState is longer than ${MAX_RELAY_STATE} characters.`;

export function isTooLong(relayState: string | null): boolean {
  return relayState !== null && relayState.length > MAX_RELAY_STATE;
}

/** A request that cannot be answered at the service provider: it may come from anybody. */
export const untrusted = (visit: Visit, detail: string): Promise<Reply> =>
  showFault(visit.request, visit.reply, { application: visit.application, status: 400, detail });

/** Begins the sign-in that a service provider asks for. */
export async function beginAsked(
  visit: Visit,
  receive: () => Received | Promise<Received>,
  { organization }: Pick<Beside, 'organization'>,
): Promise<Reply> {
  const { ctx, application, request } = visit;
  const { saml } = application;
  try {
    const received = await receive();
    const { relayState } = received;
    if (isTooLong(relayState)) return await untrusted(visit, TOO_LONG);
    const addresses = await authAddresses(ctx.system, ctx.scope);
    const read = issuing.readRequest(received, {
      entityId: saml.entityId,
      certificates: saml.signingCertificates,
      requireSigned: saml.requireSignedRequests,
      destinations: addresses.map((auth) => addressesAt(auth, application).signOn),
    });
    return await begin(visit, read, { relayState, organization, consumer: consumerOf(application, read) });
  } catch (fault) {
    if (!(fault instanceof SamlFault)) throw fault;
    request.log.warn({ err: fault, applicationId: application.id }, 'a SAML request was refused');
    return untrusted(visit, fault.message);
  }
}

/**
 * The registered address that a request names, or the default (SAML Profiles §4.1.4.1: responses go to no other).
 * @throws SamlFault
 */
function consumerOf({ saml: { consumers } }: ByAssertion, { consumer: named }: SignInRequest): string {
  const found = consumers.find(
    ({ url, index }) => named === null || ('url' in named ? named.url === url : named.index === index),
  );
  if (!found)
    throw new SamlFault(
      'recipient',
      'The assertion consumer service of the request is not registered for this application.',
    );
  return found.url;
}

async function begin(visit: Visit, read: SignInRequest, place: Beside & { consumer: string }): Promise<Reply> {
  const { application, ctx } = visit;
  const { id, forceAuthn, isPassive, nameIdFormat } = read;
  const contexts = read.contexts && { ...read.contexts, classes: knownClasses(read.contexts) };
  const asked: Asked = { requestId: id, forceAuthn, isPassive, contexts, ...place, at: ctx.now.getTime() };
  if (nameIdFormat !== null && nameIdFormat !== issuing.nameIdFormats[application.saml.nameIdFormat])
    return refuse(visit, asked, { by: 'requester', code: 'InvalidNameIDPolicy' });
  if (contexts?.classes.length === 0) return refuse(visit, asked, NO_CONTEXT);
  return toSignIn(visit, asked);
}

const NO_CONTEXT: Refusal = { by: 'responder', code: 'NoAuthnContext' };

/** Begins a sign-in that no service provider asked for. */
export function beginHere(visit: Visit, { relayState, organization }: Beside): Promise<Reply> | Reply {
  const { application, ctx } = visit;
  const [consumer] = application.saml.consumers;
  if (!application.saml.idpInitiated || !consumer)
    return untrusted(visit, 'Sign-ins at this application begin at the service provider.');
  if (isTooLong(relayState)) return untrusted(visit, TOO_LONG);
  return toSignIn(visit, {
    requestId: null,
    consumer: consumer.url,
    relayState,
    forceAuthn: false,
    isPassive: false,
    contexts: null,
    organization,
    at: ctx.now.getTime(),
  });
}

/** Signs the person in as at any application; the result comes back to `finish`. */
function toSignIn({ request: { address }, reply, ctx, application }: Visit, asked: Asked): Reply {
  const { isPassive, forceAuthn, contexts } = asked;
  const url = withQuery(`${address.url}/connect/authorize`, {
    client_id: application.clientId,
    response_type: 'none',
    scope: scopesOf(claimsNeeded(application)).join(' '),
    redirect_uri: samlReturnUrl(address.url, application),
    state: sealAsked(ctx.system, application, asked),
    organization: organizationOf(application, asked),
    prompt: promptOf(asked),
    max_age: isPassive && forceAuthn ? '0' : null,
    acr_values: contexts && asksForTwoFactors(contexts) ? 'aal2' : null,
  });
  return reply.redirect(url, 303);
}

function promptOf({ isPassive, forceAuthn }: Asked): string | null {
  if (isPassive) return 'none';
  return forceAuthn ? 'login' : null;
}

/** The organization of the application comes first: a request cannot name another. */
function organizationOf({ saml }: ByAssertion, { organization }: Asked): string | null {
  return saml.organizationId ?? organization;
}

/** Ends a sign-in: with an assertion, or with the reason why there is none. */
export async function finish(visit: Visit, { state, error }: { state: unknown; error: unknown }): Promise<Reply> {
  const { request, reply, ctx, application } = visit;
  const asked = openAsked(ctx.system, application, state);
  // The address may have been removed in the meantime.
  if (!asked || !application.saml.consumers.some(({ url }) => url === asked.consumer))
    return showDead(request, reply, application);
  if (error !== undefined) return refuse(visit, asked, refusalFor(asked, error));
  const named = organizationOf(application, asked);
  const organizationId = named === null ? null : await findOrganizationId(ctx, named);
  if (organizationId === undefined) return refuse(visit, asked, DENIED);
  const scopes = scopesOf(claimsNeeded(application));
  const signIn = await signInAt(request, reply, { application, organizationId, scopes });
  if (!signIn) return showDead(request, reply, application);
  return confirm(visit, asked, signIn);
}

const DENIED: Refusal = { by: 'responder', code: 'RequestDenied' };
const FAILED: Refusal = { by: 'responder', code: 'AuthnFailed' };

/** The error of an authorization request, in the words of SAML. */
function refusalFor({ isPassive }: Asked, error: unknown): Refusal {
  if (error === 'unmet_authentication_requirements') return NO_CONTEXT;
  if (error === 'access_denied') return DENIED;
  return isPassive ? { by: 'responder', code: 'NoPassive' } : FAILED;
}

async function confirm(visit: Visit, asked: Asked, signIn: ApplicationSignIn): Promise<Reply> {
  const { ctx, application } = visit;
  const { system } = ctx;
  // Sign-ins are dated in seconds.
  if (asked.forceAuthn && signIn.authTime.getTime() < Math.floor(asked.at / 1000) * 1000)
    return refuse(visit, asked, FAILED);
  const context = contextOf(signIn, asked.contexts);
  if (context === null) return refuse(visit, asked, NO_CONTEXT);
  const nameId = await nameIdOf(system, application, signIn);
  if (!nameId) return refuse(visit, asked, { by: 'responder', code: 'UnknownPrincipal' });
  const sessionIndex = await sessionIndexOf(system, application, signIn);
  const response = await issuing.response(await issuingFor(visit, asked), {
    nameId,
    authenticatedAt: signIn.authTime,
    sessionEndsAt: sessionEndOf(ctx, application, signIn),
    sessionIndex,
    context,
    attributes: attributesOf(application, signIn),
  });
  const { id, clientId } = application;
  const { userId, sessionId, endsAt } = signIn;
  await transaction(ctx, async (tx) => {
    // A logout ends the session before or after, and then knows the application.
    await lockSession(tx, sessionId);
    const participant = { clientId, nameId: nameId.value, nameIdFormat: nameId.format, sessionIndex };
    await keepParticipant(tx, { application: { id }, sessionId, participant, until: endsAt });
    await emit(tx, 'saml.assertion.issued', { userId, applicationId: id });
  });
  return sendResponse(visit.request, visit.reply, { ...asked, application, response });
}

function sessionEndOf(
  { now }: Ctx,
  { saml: { sessionSeconds } }: ByAssertion,
  { endsAt }: ApplicationSignIn,
): Date | null {
  return sessionSeconds === null ? null : new Date(Math.min(now.getTime() + sessionSeconds * 1000, endsAt.getTime()));
}

/** Tells the service provider that nobody was signed in. */
async function refuse(visit: Visit, asked: Asked, refusal: Refusal): Promise<Reply> {
  const response = issuing.refusal(await issuingFor(visit, asked), refusal);
  return sendResponse(visit.request, visit.reply, { ...asked, application: visit.application, response });
}

async function issuingFor({ ctx, application }: Visit, { consumer, requestId }: Asked): Promise<Issuing> {
  const { entityId, sign, encryptAssertions, encryptionCertificate } = application.saml;
  return {
    now: ctx.system.clock.now(),
    issuer: entityIdOf(application),
    audience: entityId,
    recipient: consumer,
    inResponseTo: requestId,
    key: await signingKey(ctx),
    sign,
    encryptFor: encryptAssertions ? encryptionCertificate : null,
  };
}

/** The application by SAML at the address of a request; undefined also if it is disabled. */
export async function applicationByAssertion(request: Request, clientId: string): Promise<ByAssertion | undefined> {
  const { system, host } = request.server;
  if (host.environment === null) throw new Error('People sign in on a host with an environment.');
  const application = await applicationAt(system, { ...request.address, environment: host.environment }, clientId);
  const saml = application?.saml;
  return application?.enabled && saml ? { ...application, saml } : undefined;
}

import { findApplication } from '#applications';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import type { SessionId } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import { at } from '#platform/scoped.ts';
import {
  formFields,
  logoutRequestXml,
  logoutResponseXml,
  type Received,
  readLogoutRequest,
  readLogoutResponse,
  redirectAddress,
  SamlFault,
  signedXml,
} from '#saml';
import { signingKey } from '#saml-keys';
import {
  beginRound,
  newRoundState,
  nextStep,
  noteResponse,
  type Participant,
  roundPath,
  sessionsNamed,
  takeParticipants,
  useUpRequest,
} from '#saml-participants';
import { findSession, revokeSessions } from '#sessions';
import { loginOf, logoutAddress } from '#single-logout';
import { addressesAt, type ByAssertion, entityIdOf } from './own-side.ts';
import { showDead, showLeaving, showMissed } from './pages.ts';
import { isTooLong, TOO_LONG, untrusted, type Visit } from './sign-in.ts';

type LogoutRequest = Awaited<ReturnType<typeof readLogoutRequest>>;

/** Takes a message about a logout, which an application sends with the browser of the person. */
export async function takeLogoutMessage(visit: Visit, receive: () => Received | Promise<Received>): Promise<Reply> {
  try {
    const received = await receive();
    if (isTooLong(received.relayState)) return await untrusted(visit, TOO_LONG);
    return await (received.kind === 'SAMLRequest' ? endSessions(visit, received) : goOn(visit, received));
  } catch (fault) {
    if (!(fault instanceof SamlFault)) throw fault;
    visit.request.log.warn({ err: fault, applicationId: visit.application.id }, 'a SAML logout was refused');
    return untrusted(visit, fault.message);
  }
}

/** What a message of the application must be. */
function expectedAt({ request, ctx, application }: Visit) {
  const { entityId, signingCertificates: certificates } = application.saml;
  const recipient = addressesAt(request.address.url, application).logout;
  return { entityId, certificates, recipient, now: ctx.system.clock.now() };
}

/** Ends the sessions that the application names, and goes on to the others that share them. */
async function endSessions(visit: Visit, received: Received): Promise<Reply> {
  const { request, reply, ctx, application } = visit;
  if (application.saml.signingCertificates.length === 0)
    throw new SamlFault('signature', 'The application has no certificates, so it cannot ask for a logout.');
  const read = await readLogoutRequest(received, expectedAt(visit), []);
  const state = await newRoundState(ctx);
  const auth = request.address.url;
  const identityProvider = await addressBehind(
    ctx,
    await sessionsNamed(ctx, application, read),
    auth + roundPath(state),
  );
  const { id: requestId } = read;
  const { relayState } = received;
  const goesOn = await transaction(ctx, async (tx) => {
    await useUpRequest(tx, application, read);
    const stops = await endNamed(tx, application, read);
    if (stops.length === 0 && identityProvider === null) return false;
    const end = { kind: 'response', clientId: application.clientId, requestId, relayState } as const;
    await beginRound(tx, state, { stops, identityProvider, end });
    return true;
  });
  if (goesOn) return reply.redirect(auth + roundPath(state), 303);
  return respond(visit, { requestId, relayState, result: 'success' });
}

/** Where the browser logs out at the identity provider behind the sessions; null: nowhere. */
async function addressBehind(ctx: Ctx, [sessionId]: SessionId[], returnTo: string): Promise<string | null> {
  const login = sessionId && (await loginOf(ctx, sessionId));
  return login ? logoutAddress(login, returnTo) : null;
}

/** @returns the other applications that shared the sessions */
async function endNamed(tx: TxCtx, application: ByAssertion, named: LogoutRequest): Promise<Participant[]> {
  const sessionIds = await sessionsNamed(tx, application, named);
  const participants = await takeParticipants(tx, sessionIds);
  for (const sessionId of sessionIds) {
    // biome-ignore lint/performance/noAwaitInLoops: a transaction has one connection
    const session = await findSession(tx, sessionId);
    if (!session) continue;
    await revokeSessions(tx, session.userId, { only: sessionId }, 'application_logout');
    await emit(tx, 'user.logout', { userId: session.userId, everywhere: false });
  }
  return participants.filter(({ clientId }) => clientId !== application.clientId);
}

/** Takes the response of an application that was asked to log the person out. */
async function goOn(visit: Visit, received: Received): Promise<Reply> {
  const { request, reply, ctx, application } = visit;
  const state = received.relayState ?? '';
  const expected = expectedAt(visit);
  const taken = await noteResponse(ctx, { state, clientId: application.clientId }, (requestId) => {
    try {
      return readLogoutResponse(received, { ...expected, requestId }).result === 'success';
    } catch (fault) {
      if (!(fault instanceof SamlFault)) throw fault;
      request.log.warn({ err: fault, applicationId: application.id }, 'the response to a logout was refused');
      return false;
    }
  });
  if (!taken) return showDead(request, reply, application);
  return reply.redirect(request.address.url + roundPath(state), 303);
}

/** Goes on with a round: to the next application, or to its end. */
export async function goRound(from: Omit<Visit, 'application'>, state: string): Promise<Reply> {
  const { request, reply, ctx } = from;
  const step = await nextStep(ctx, state, async (tx, stop) => {
    const application = await participantIn(tx, stop.clientId);
    return application?.enabled === true && application.saml.logout !== null;
  });
  if (!step) return showDead(request, reply, null);
  if (step.kind === 'identity provider') return reply.redirect(step.url, 303);
  if (step.kind === 'ask') return ask(from, { ...step, state });
  if (step.end.kind === 'address') return finish(from, step.end.url, step.missed);
  const { clientId, requestId, relayState } = step.end;
  const application = await participantIn(ctx, clientId);
  if (!application) return showMissed(request, reply, { application: null, names: [], url: null });
  const result = step.missed.length === 0 ? 'success' : 'partial';
  return respond({ ...from, ctx: inScopeOf(ctx, application), application }, { requestId, relayState, result });
}

async function participantIn({ system, scope }: Ctx | TxCtx, clientId: string): Promise<ByAssertion | undefined> {
  const application = await findApplication(system, scope.environment, clientId);
  const saml = application?.saml;
  return application && saml && application.workspaceId === scope.workspaceId ? { ...application, saml } : undefined;
}

function inScopeOf(ctx: Ctx, { projectId }: ByAssertion): Ctx {
  return at(ctx, { projectId });
}

type Asked = { participant: Participant; requestId: string; state: string };

async function ask(
  { request, reply, ctx }: Omit<Visit, 'application'>,
  { participant, requestId, state: relayState }: Asked,
) {
  const application = await participantIn(ctx, participant.clientId);
  const logout = application?.saml.logout;
  if (!application || !logout) throw new Error('unreachable: the step has an application that can be asked');
  const key = await signingKey(inScopeOf(ctx, application));
  const destination = logout.url;
  const head = { id: requestId, issuedAt: ctx.system.clock.now(), destination, issuer: entityIdOf(application) };
  const { nameId, nameIdFormat, sessionIndex } = participant;
  const person = { nameId, nameIdFormat, nameQualifier: null, spNameQualifier: null };
  const xml = logoutRequestXml(head, person, [sessionIndex]);
  if (logout.binding === 'redirect') {
    const sent = { kind: 'SAMLRequest', xml, destination, relayState } as const;
    const url = await redirectAddress(sent, key.privateKey);
    return showLeaving(request, reply, { application, to: { url } });
  }
  const fields = formFields({ kind: 'SAMLRequest', xml: signedXml(xml, 'LogoutRequest', key), relayState });
  return showLeaving(request, reply, { application, to: { action: destination, fields } });
}

/** The end of a round that began here. */
async function finish({ request, reply, ctx }: Omit<Visit, 'application'>, url: string, missed: readonly string[]) {
  if (missed.length === 0) return reply.redirect(url, 303);
  const applications = await Promise.all(missed.map((clientId) => participantIn(ctx, clientId)));
  const found = applications.flatMap((application) => application ?? []);
  const names = found.map(({ name }) => name);
  return showMissed(request, reply, { application: found[0] ?? null, names, url });
}

type Responding = { requestId: string; relayState: string | null; result: 'success' | 'partial' };

/** Tells the application how the logout ended, at the registered address alone. */
async function respond(visit: Visit, { requestId, relayState, result }: Responding): Promise<Reply> {
  const { request, reply, ctx, application } = visit;
  const { logout } = application.saml;
  if (!logout) return showMissed(request, reply, { application, names: [], url: null });
  const destination = logout.responseUrl ?? logout.url;
  const issuer = entityIdOf(application);
  const head = { id: `_${randomSecret()}`, issuedAt: ctx.system.clock.now(), destination, issuer };
  const xml = logoutResponseXml(head, requestId, result);
  const key = await signingKey(ctx);
  if (logout.binding === 'redirect') {
    const sent = { kind: 'SAMLResponse', xml, destination, relayState } as const;
    return reply.redirect(await redirectAddress(sent, key.privateKey), 303);
  }
  const fields = formFields({ kind: 'SAMLResponse', xml: signedXml(xml, 'LogoutResponse', key), relayState });
  return showLeaving(request, reply, { application, to: { action: destination, fields } });
}

import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import { emit } from '#events';
import { type Ctx, type Environment, systemCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type SessionId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import {
  beginRound,
  hasParticipants,
  newRoundState,
  type Participant,
  roundPath,
  takeParticipants,
} from '#saml-participants';
import { revokeSessions } from '#sessions';
import { goesOn, type Login, loginOf, logoutAddress } from '#single-logout';
import type { Bound } from './bound-sessions.ts';
import type { IssuerAddress } from './clients.ts';

const UserId = IdSchema('usr');

/**
 * Ends the Latchkey session, wherever it is used, when a user signs out at the provider (OpenID Connect RP-Initiated
 * Logout 1.0). The library destroys a browser's session for that reason only, after it has checked the secret of the
 * page. Ours ends first, because the record of the browser's session names the applications to notify.
 */
export function endOnLogout({ Session }: Provider, system: System, environment: Environment): void {
  const { destroy } = Session.prototype;
  Session.prototype.destroy = async function end(this: InstanceType<Provider['Session']>) {
    // Read first: it is forgotten with the session.
    const login = await loginBehind(system, environment, this);
    const participants = await endSession(system, environment, this);
    if (login || participants.length > 0) ended.set(this, { login, participants });
    await destroy.call(this);
  };
}

/** Where else a session that ended was used. */
const ended = new WeakMap<object, { login: Login | null; participants: Participant[] }>();

type Ended = Bound & { accountId?: string | undefined };

/** The context in which a browser's session ends; null if it is of nobody. */
function contextOf(
  system: System,
  environment: Environment,
  { sessionId, workspaceId, projectId }: Ended,
): { ctx: Ctx; sessionId: SessionId } | null {
  if (!sessionId || !workspaceId || !projectId) return null;
  return { ctx: systemCtx(system, { workspaceId, projectId, environment }, 'oidc', 'oidc'), sessionId };
}

/**
 * The session at the identity provider behind a browser's session. A failure does not keep ours alive.
 * @returns null if there is none, or it can't be read
 */
async function loginBehind(system: System, environment: Environment, session: Ended): Promise<Login | null> {
  const found = contextOf(system, environment, session);
  if (!found) return null;
  const { ctx, sessionId } = found;
  return loginOf(ctx, sessionId).catch((error: unknown) => {
    system.log.error({ err: error, sessionId }, 'the login at an identity provider can not be read');
    return null;
  });
}

/** Whether a logout goes on elsewhere: at applications by SAML, or at the identity provider behind the session. */
export async function goesElsewhere(system: System, environment: Environment, session: Ended): Promise<boolean> {
  const login = await loginBehind(system, environment, session);
  if (login && goesOn(login)) return true;
  const found = contextOf(system, environment, session);
  return found !== null && hasParticipants(found.ctx, found.sessionId);
}

/** A response of the provider; without `oidc` if it served no route. */
type Leaving = Pick<KoaContextWithOIDC, 'href' | 'response' | 'redirect'> & { oidc?: unknown };

/**
 * After a logout here, sends the browser on to the applications by SAML that shared the session, to the identity
 * provider at which it began, and from there to where it was going.
 */
export async function goOnToLogout(system: System, address: IssuerAddress, ctx: Leaving): Promise<void> {
  const { session } = Object(ctx.oidc);
  const elsewhere = session && ended.get(session);
  const returnTo = ctx.response.get('location');
  if (!elsewhere || !returnTo) return;
  ended.delete(session);
  const { login, participants } = elsewhere;
  const failed = (error: unknown) => {
    system.log.error({ err: error }, 'a logout elsewhere can not begin');
    return null;
  };
  const end = new URL(returnTo, ctx.href).href;
  const atProvider = login && (await logoutAddress(login, end).catch(failed));
  const through = participants.length > 0 && contextOf(system, address.environment, session);
  const round = through ? await roundThrough(through.ctx, participants, atProvider ?? end).catch(failed) : null;
  if (round !== null) ctx.redirect(`${address.url}${round}`);
  else if (atProvider !== null) ctx.redirect(atProvider);
}

/** @returns the path of a round that ends at an address */
function roundThrough(ctx: Ctx, stops: Participant[], url: string): Promise<string> {
  return transaction(ctx, async (tx) => {
    const state = await newRoundState(tx);
    await beginRound(tx, state, { stops, end: { kind: 'address', url } });
    return roundPath(state);
  });
}

/** @returns the applications by SAML that shared the session */
async function endSession(system: System, environment: Environment, session: Ended): Promise<Participant[]> {
  const found = contextOf(system, environment, session);
  const { accountId } = session;
  if (!found || !Value.Check(UserId, accountId)) return [];
  const { ctx, sessionId } = found;
  return transaction(ctx, async (tx) => {
    const participants = await takeParticipants(tx, [sessionId]);
    await revokeSessions(tx, accountId, { only: sessionId }, 'logout');
    await emit(tx, 'user.logout', { userId: accountId, everywhere: false });
    return participants;
  });
}

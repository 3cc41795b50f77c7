import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import { emit } from '#events';
import { type Environment, systemCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { revokeSessions } from '#sessions';
import { type Login, loginOf, logoutAddress } from '#single-logout';
import type { Bound } from './bound-sessions.ts';

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
    await endSession(system, environment, this);
    if (login) ended.set(this, login);
    await destroy.call(this);
  };
}

const ended = new WeakMap<object, Login>();

type Ended = Bound & { accountId?: string | undefined };

/**
 * The session at the identity provider behind a browser's session. A failure does not keep ours alive.
 * @returns null if there is none, or it can't be read
 */
export async function loginBehind(system: System, environment: Environment, session: Ended): Promise<Login | null> {
  const { sessionId, workspaceId, projectId } = session;
  if (!sessionId || !workspaceId || !projectId) return null;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'oidc', 'oidc');
  return loginOf(ctx, sessionId).catch((error: unknown) => {
    system.log.error({ err: error, sessionId }, 'the login at an identity provider can not be read');
    return null;
  });
}

/** A response of the provider; without `oidc` if it served no route. */
type Leaving = Pick<KoaContextWithOIDC, 'href' | 'response' | 'redirect'> & { oidc?: unknown };

/**
 * After a logout here, sends the browser on to the identity provider at which the session began, and from there to
 * where it was going.
 */
export async function goOnToLogout(system: System, ctx: Leaving): Promise<void> {
  const { session } = Object(ctx.oidc);
  const login = session && ended.get(session);
  const returnTo = ctx.response.get('location');
  if (!login || !returnTo) return;
  ended.delete(session);
  const address = await logoutAddress(login, new URL(returnTo, ctx.href).href).catch((error: unknown) => {
    system.log.error({ err: error }, 'a logout at an identity provider can not begin');
    return null;
  });
  if (address !== null) ctx.redirect(address);
}

async function endSession(system: System, environment: Environment, session: Ended) {
  const { sessionId, workspaceId, projectId, accountId } = session;
  if (!sessionId || !workspaceId || !projectId || !Value.Check(UserId, accountId)) return;
  const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'oidc', 'oidc');
  await transaction(ctx, async (tx) => {
    await revokeSessions(tx, accountId, { only: sessionId }, 'logout');
    await emit(tx, 'user.logout', { userId: accountId, everywhere: false });
  });
}

import type { CookiesSetOptions, KoaContextWithOIDC } from 'oidc-provider';
import { type Application, isFirstParty } from '#applications';
import { applicationOf } from './clients.ts';

/**
 * Signs out without a question, if a first-party application proves by an ID token of the browser's own session that
 * it sent the browser here (OpenID Connect RP-Initiated Logout 1.0 §2). Any page could have sent it otherwise.
 * @returns false if the person has to be asked
 */
export async function signOutByHint(ctx: KoaContextWithOIDC, cookie: CookiesSetOptions): Promise<boolean> {
  const { client, session, provider, entities, params } = ctx.oidc;
  if (!client || !session || !provesByHint(applicationOf(client))) return false;
  const sid = entities.IdTokenHint?.payload['sid'];
  if (typeof sid !== 'string' || sid !== session.sidFor(client.clientId)) return false;
  await session.destroy();
  ctx.cookies.set(provider.cookieName('session'), null, cookie);
  ctx.status = 303;
  ctx.redirect(returnAddress(params, ctx.oidc.urlFor('end_session_success')));
  return true;
}

/**
 * Whether an ID token shows that the application itself got it in this browser. Without PKCE somebody else may have
 * injected a stolen code into a session of their own, and so hold an ID token of this browser's session.
 */
function provesByHint(application: Application): boolean {
  return isFirstParty(application) && application.pkce === 'required';
}

/** The library has checked that `post_logout_redirect_uri` is one of the client's. */
function returnAddress(params: Readonly<Record<string, unknown>> | undefined, success: string): string {
  const wanted = params?.['post_logout_redirect_uri'];
  const state = params?.['state'];
  const address = new URL(typeof wanted === 'string' ? wanted : success);
  if (typeof wanted === 'string' && typeof state === 'string') address.searchParams.set('state', state);
  return address.href;
}

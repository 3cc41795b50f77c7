import * as client from 'openid-client';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { requireAdmitted } from '#admission';
import { holderAtOwnIssuer } from '#oidc';
import { type CustomerActor, type Scope, systemCtx } from '#platform/ctx.ts';
import { ownFetch } from '#platform/fetch.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { findEntry, type ProvenEntry } from '#sessions';
import { CALLBACK_PATH, installationOf } from './installation.ts';
import { ABSOLUTE_SECONDS } from './operator-sessions.ts';
/** The console page to return to; never another site (OA-3). */
export const ReturnTo = Type.String({ pattern: '^/console/[^\\\\\\s]*$', maxLength: 2_000 });

/** The state that the console keeps while the operator is at the sign-in pages. */
const Away = Type.Object({
  verifier: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  returnTo: ReturnTo,
});
type Away = Static<typeof Away>;

const SEALED = 'console-sign-in';

async function configurationOf(system: System): Promise<client.Configuration> {
  const { client: own } = installationOf(system);
  const issuer = new URL(system.config.addresses.production.auth);
  return client.discovery(issuer, own.id, own.secret, client.ClientSecretBasic(own.secret), {
    [client.customFetch]: ownFetch(system),
    execute: issuer.protocol === 'https:' ? [] : [client.allowInsecureRequests],
  });
}

/**
 * Starts a sign-in at our own provider, as any application does (code and PKCE).
 * @param stepUp requires a new proof even if there is a session; `loginHint`: the address to sign in with
 * @returns where the browser goes, and what to keep in a cookie until it is back
 */
export async function beginSignIn(
  system: System,
  { returnTo, stepUp, loginHint }: { returnTo: string; stepUp: boolean; loginHint?: string },
): Promise<{ url: string; kept: string }> {
  const away: Away = {
    verifier: client.randomPKCECodeVerifier(),
    state: client.randomState(),
    nonce: client.randomNonce(),
    returnTo,
  };
  const url = client.buildAuthorizationUrl(await configurationOf(system), {
    redirect_uri: system.config.addresses.console + CALLBACK_PATH,
    scope: 'openid',
    code_challenge: await client.calculatePKCECodeChallenge(away.verifier),
    code_challenge_method: 'S256',
    state: away.state,
    nonce: away.nonce,
    max_age: String(ABSOLUTE_SECONDS),
    ...(stepUp && { prompt: 'login' }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
  });
  return { url: url.href, kept: system.keyring.seal(JSON.stringify(away), SEALED, 'cookie') };
}

/** The operator who came back from sign-in, and the page they wanted. */
type Arrived = { operator: CustomerActor; authTime: Date; returnTo: string; proof: ProvenEntry };

/**
 * Exchanges the authorization code that the browser brought back.
 * @throws Error of `openid-client`, or if the cookie is missing or invalid
 */
export async function finishSignIn(system: System, query: string, kept: string): Promise<Arrived> {
  const away = Value.Parse(Away, JSON.parse(system.keyring.open(kept, SEALED, 'cookie')));
  const url = new URL(system.config.addresses.console + CALLBACK_PATH + query);
  const tokens = await client.authorizationCodeGrant(await configurationOf(system), url, {
    pkceCodeVerifier: away.verifier,
    expectedState: away.state,
    expectedNonce: away.nonce,
    maxAge: ABSOLUTE_SECONDS,
  });
  const holder = await holderAtOwnIssuer(system, 'production', tokens.access_token);
  const authTime = tokens.claims()?.auth_time;
  if (!holder || authTime === undefined) throw new Error('The session at the auth host has ended.');
  const proof = await requireOperator(system, holder);
  return { proof, operator: holder.actor, authTime: new Date(authTime * 1000), returnTo: away.returnTo };
}

/**
 * The tokens identify the user; whether their session may enter the console is decided as at every entrance.
 * @returns what the session proved
 * @throws Problem
 */
async function requireOperator(
  system: System,
  { scope, actor: { userId, sessionId } }: { scope: Scope; actor: CustomerActor },
): Promise<ProvenEntry> {
  const ctx = systemCtx(system, scope, 'console', 'console');
  const proof = await findEntry(ctx, sessionId);
  if (!proof) throw problem('SESSION_REVOKED');
  await requireAdmitted(ctx, 'console', { userId, proof, asked: { maxAge: ABSOLUTE_SECONDS } });
  return proof;
}

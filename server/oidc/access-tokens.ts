import { hash } from 'node:crypto';
import { Value } from 'typebox/value';
import { isFirstParty } from '#applications';
import { addressesOf } from '#domains';
import type { CustomerActor, Environment, Scope } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { findEntry } from '#sessions';
import { ctxOf } from './accounts.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { checkProof, PROOF_SECONDS, refused } from './dpop.ts';
import { spendOnce } from './one-time.ts';
import { commonIssuer, issuerOf } from './provider.ts';

const UserId = IdSchema('usr');

const THIRD_PARTY =
  'This token was issued to a third-party application. It is valid for userinfo, introspection and the resource servers it was issued for, whatever roles the person has.';

type Holder = { scope: Scope; actor: CustomerActor };

/** A token as presented by a request: as a bearer token (RFC 6750), or with proof of a key (RFC 9449). */
export type PresentedToken = { token: string; scheme: 'Bearer' | 'DPoP' };

/**
 * The user and session of an opaque access token: of the issuer at the request's address; on an API host, of the
 * issuers of the environment and of the project that the address serves. Undefined for any other text.
 * @throws Problem WRONG_TOKEN_KIND for the token of a third-party application, AUTHENTICATION_REQUIRED for a key-bound
 * token without proof of the key
 */
export async function holderOf(
  request: Request,
  environment: Environment,
  presented: PresentedToken,
): Promise<Holder | undefined> {
  const { address, server } = request;
  const { system, host } = server;
  if (host.kind === 'auth') return holderAt(system, { ...address, environment }, { ...presented, request });
  const { scope } = address;
  const own = scope
    ? (await addressesOf(system, scope)).auth.map((url) => ({ url, scope, organizationId: null, environment }))
    : [];
  const holders = await Promise.all(
    [commonIssuer(system, environment), ...own].map((issuer) => holderAt(system, issuer, { ...presented, request })),
  );
  return holders.find((holder) => holder !== undefined);
}

/** {@link holderOf} for a token of the environment's own issuer, without a request at that issuer. */
export function holderAtOwnIssuer(
  system: System,
  environment: Environment,
  token: string,
): Promise<Holder | undefined> {
  return holderAt(system, commonIssuer(system, environment), { token, scheme: 'Bearer' });
}

async function holderAt(
  system: System,
  issuer: IssuerAddress,
  presented: PresentedToken & { request?: Request },
): Promise<Holder | undefined> {
  const { provider } = await issuerOf(system, issuer);
  const found = await provider.AccessToken.find(presented.token);
  if (!found?.grantId) return undefined;
  const { clientId = '' } = found;
  await requireKey(found, presented, (id) => spendOnce(system, issuer, { id, clientId, seconds: 2 * PROOF_SECONDS }));
  const grant = await provider.Grant.find(found.grantId);
  const client = found.clientId && (await provider.Client.find(found.clientId));
  if (!grant?.sessionId || !client || !Value.Check(UserId, found.accountId)) return undefined;
  const application = applicationOf(client);
  if (!isFirstParty(application)) throw problem('WRONG_TOKEN_KIND', THIRD_PARTY);
  const ctx = ctxOf(system, application);
  const { sessionId } = grant;
  const entry = await findEntry(ctx, sessionId);
  if (!entry) return undefined;
  const descent = { applicationId: application.id, grantId: found.grantId };
  const { entryId } = entry;
  return { scope: ctx.scope, actor: { kind: 'customer', userId: found.accountId, sessionId, entryId, descent } };
}

/**
 * Requires proof of the key for a key-bound token, and none for other tokens (RFC 9449 §7.1, §7.2).
 * @param spend marks a proof as used; of several concurrent calls with the same proof, exactly one returns true
 * @throws Problem AUTHENTICATION_REQUIRED
 */
async function requireKey(
  { jkt, clientId }: { jkt?: string | undefined; clientId?: string | undefined },
  { token, scheme, request }: PresentedToken & { request?: Request },
  spend: (proof: string) => Promise<boolean>,
): Promise<void> {
  if (jkt === undefined && scheme === 'Bearer') return;
  if (jkt === undefined) throw refused('the access token is bound to no key; send it as Bearer', 'invalid_token');
  if (scheme !== 'DPoP' || !request)
    throw refused('the access token is bound to a key; send it as DPoP', 'invalid_token');
  const { thumbprint, jti } = await checkProof(request, token);
  if (thumbprint !== jkt) throw refused('it is of another key than that of the token', 'invalid_token');
  if (!(await spend(hash('sha256', `${clientId}${jti}`, 'base64url')))) throw refused('it was used before');
}

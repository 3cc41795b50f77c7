import { Value } from 'typebox/value';
import { isFirstParty } from '#applications';
import type { CustomerActor, Environment, Scope } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { liveEntry } from '#sessions';
import { addressesOf } from '#tenancy';
import { ctxOf } from './accounts.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { commonIssuer, issuerOf } from './provider.ts';

const UserId = IdSchema('usr');

const THIRD_PARTY =
  'This token was issued to an application of a third party. It opens userinfo, introspection and the resource servers it was issued for; the person did not allow more, and roles do not change that.';

type Holder = { scope: Scope; actor: CustomerActor };

/**
 * Whose an opaque access token is, and in which session: of the issuer at the request's own address; on an API host, of those
 * of the environment and of the project that the address serves. Undefined for any other text.
 * @throws Problem WRONG_TOKEN_KIND for the token of an application that is not the project's own
 */
export async function holderOf(request: Request, environment: Environment, token: string): Promise<Holder | undefined> {
  const { address, server } = request;
  const { system, host } = server;
  if (host.kind === 'auth') return holderAt(system, { ...address, environment }, token);
  const { scope } = address;
  const own = scope ? (await addressesOf(system, scope)).auth.map((url) => ({ url, scope, environment })) : [];
  const holders = await Promise.all(
    [commonIssuer(system, environment), ...own].map((issuer) => holderAt(system, issuer, token)),
  );
  return holders.find((holder) => holder !== undefined);
}

/** {@link holderOf} for a token of the environment's own issuer, where there is no request at it. */
export function holderAtOwnIssuer(
  system: System,
  environment: Environment,
  token: string,
): Promise<Holder | undefined> {
  return holderAt(system, commonIssuer(system, environment), token);
}

async function holderAt(system: System, issuer: IssuerAddress, token: string): Promise<Holder | undefined> {
  const { provider } = await issuerOf(system, issuer);
  const found = await provider.AccessToken.find(token);
  // One that is bound to a key is no bearer token (RFC 9449 §7.2).
  if (!found?.grantId || found.isSenderConstrained()) return undefined;
  const grant = await provider.Grant.find(found.grantId);
  const client = found.clientId && (await provider.Client.find(found.clientId));
  if (!grant?.sessionId || !client || !Value.Check(UserId, found.accountId)) return undefined;
  const application = applicationOf(client);
  if (!isFirstParty(application)) throw problem('WRONG_TOKEN_KIND', THIRD_PARTY);
  const { scope, db } = ctxOf(system, application);
  const { sessionId } = grant;
  const entryId = await liveEntry({ scope, db }, sessionId);
  const descent = { applicationId: application.id, grantId: found.grantId };
  return entryId && { scope, actor: { kind: 'customer', userId: found.accountId, sessionId, entryId, descent } };
}

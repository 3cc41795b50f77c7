import type { Client, Grant, Provider } from 'oidc-provider';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { IdSchema, type UserId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import type { IssuerAddress } from './clients.ts';
import type { Act } from './exchanged-claims.ts';
import { knownToken } from './structured-tokens.ts';

const UserIdSchema = IdSchema('usr');

/** A user's access token that is presented for exchange, with the grant it was issued under. */
export type Subject = {
  userId: UserId;
  /** The application that the token was issued to. */
  client: Client;
  grant: Grant;
  scopes: ReadonlySet<string>;
  /** Seconds since the epoch. */
  exp: number;
  /** The names of its claims. */
  claims: readonly string[];
  act?: Act;
};

const Claims = Type.Object({
  client_id: Type.String(),
  scope: Type.Optional(Type.String()),
  exp: Type.Integer(),
  act: Type.Optional(Type.Unsafe<Act>(Type.Object({ sub: Type.String() }))),
});

type Content = Static<typeof Claims> & { grantId: string; names: readonly string[] };

type Presented = { system: System; issuer: IssuerAddress; provider: Provider; token: string };

/**
 * Reads an access token of a user that this issuer issued: opaque, or a JWT for an API. A token that is bound to a key is
 * not read, because who presents it here can't prove the key.
 * @returns undefined for any other text, and for a token that was revoked or whose grant, session or application ended
 */
export async function readSubject(presented: Presented): Promise<Subject | undefined> {
  const { provider, token } = presented;
  const content = token.includes('.') ? await readJwt(presented) : await readOpaque(provider, token);
  const client = content && (await provider.Client.find(content.client_id));
  const grant = content && (await provider.Grant.find(content.grantId));
  if (!client || !grant?.sessionId || grant.clientId !== client.clientId) return undefined;
  // A token of an impersonation is refused: nobody acts for the impersonator.
  if (grant.impersonation) return undefined;
  if (!Value.Check(UserIdSchema, grant.accountId)) return undefined;
  return {
    userId: grant.accountId,
    client,
    grant,
    scopes: new Set(content.scope?.split(' ')),
    exp: Math.min(content.exp, grant.endsAt ?? content.exp),
    claims: content.names,
    ...(content.act && { act: content.act }),
  };
}

async function readOpaque(provider: Provider, token: string): Promise<Content | undefined> {
  const found = await provider.AccessToken.find(token);
  const { clientId, grantId, exp, scope } = found ?? {};
  if (!found || found.isSenderConstrained() || !clientId || !grantId || !exp) return undefined;
  return { client_id: clientId, grantId, ...(scope && { scope }), exp, names: Object.keys(found.extra ?? {}) };
}

async function readJwt({ provider, ...presented }: Presented): Promise<Content | undefined> {
  const { payload, grantId } = (await knownToken(provider, presented)) ?? {};
  if (!payload || grantId === undefined || 'cnf' in payload || !Value.Check(Claims, payload)) return undefined;
  return { ...payload, grantId, names: Object.keys(payload) };
}

import { errors, type JWTPayload, jwtVerify } from 'jose';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { grantedApis } from '#apis';
import { type Application, isFirstParty } from '#applications';
import { signingKeys } from '#keys';
import type { System } from '#platform/system.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { isActing } from './impersonation-tickets.ts';
import { apiHostsOf } from './management-tokens.ts';
import { isSpent, spendOnce } from './one-time.ts';

const Claims = Type.Object({
  aud: Type.String(),
  client_id: Type.String(),
  exp: Type.Integer(),
  iat: Type.Integer(),
  jti: Type.String(),
});

/** A valid token, with the application and (of a person's token) the grant behind it. */
type Known = {
  payload: JWTPayload;
  application: Application;
  grantId: string | undefined;
  /** Marks it as revoked. */
  spend: () => Promise<unknown>;
};

/**
 * Introspects and revokes JWT access tokens (RFC 7662, RFC 7009), which the library refuses after it has authenticated
 * the client.
 */
export function serveStructuredTokens(provider: Provider, system: System, issuer: IssuerAddress): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    if (Object(ctx.body).error !== 'unsupported_token_type') return;
    const { client, route, params } = ctx.oidc;
    const asking = applicationOf(client);
    const known = await knownToken(provider, { system, issuer, token: String(params?.['token']) });
    if (route === 'introspection') return respond(provider, ctx, introspected(asking, known));
    const body = await revoke(provider, asking, known);
    if (body === undefined) return;
    ctx.status = 200;
    ctx.body = body;
  });
}

export const SIGNED_INTROSPECTION = 'application/token-introspection+jwt';

/** Signs the response where the client accepts a JWT (RFC 9701), as the library does for the tokens that it stores. */
async function respond(provider: Provider, ctx: KoaContextWithOIDC, introspection: object): Promise<void> {
  ctx.status = 200;
  ctx.body = introspection;
  if (ctx.accepts('json', SIGNED_INTROSPECTION) !== SIGNED_INTROSPECTION) return;
  const token = new provider.IdToken({}, { ctx });
  token.set('token_introspection', introspection);
  ctx.body = await token.issue({ use: 'introspection' });
  ctx.type = `${SIGNED_INTROSPECTION}; charset=utf-8`;
}

type Presented = { system: System; issuer: IssuerAddress; token: string };

/** @returns undefined for an invalid token, including one whose client, grant or API was removed or disabled */
export async function knownToken(provider: Provider, { system, issuer, token }: Presented): Promise<Known | undefined> {
  const payload = await verified(system, issuer, token);
  if (!Value.Check(Claims, payload)) return undefined;
  const { client_id: clientId, aud, jti, exp } = payload;
  const client = await provider.Client.find(clientId);
  if (!client) return undefined;
  const application = applicationOf(client);
  const [, grantId] = jti.split('.');
  const endedAt = grantId === undefined ? application.tokensEndedAt : application.signInsEndedAt;
  if (endedAt && payload.iat * 1000 <= endedAt.getTime()) return undefined;
  if (grantId !== undefined && !(await isLive(provider, { system, issuer, application, grantId, iat: payload.iat })))
    return undefined;
  const audiences = (await grantedApis(system, application)).map(({ identifier }) => identifier);
  const own = grantId === undefined ? await apiHostsOf(system, application) : [];
  if (![...audiences, ...own].includes(aud) || (await isSpent(system, issuer, { id: jti, clientId }))) return undefined;
  const seconds = Math.max(1, exp - Math.floor(system.clock.now().getTime() / 1000));
  return { payload, application, grantId, spend: () => spendOnce(system, issuer, { id: jti, clientId, seconds }) };
}

type Granted = { system: System; issuer: IssuerAddress; application: Application; grantId: string; iat: number };

/** Whether the grant of an application's token is live, and no change in its organization has ended the token. */
async function isLive(provider: Provider, { system, issuer, application, grantId, iat }: Granted): Promise<boolean> {
  const grant = await provider.Grant.find(grantId);
  if (grant && !grant.impersonation) return grant.clientId === application.clientId && iat >= (grant.tokensFrom ?? 0);
  return isActing(system, issuer, { grantId, application });
}

async function verified(system: System, { environment, url }: IssuerAddress, token: string) {
  const keys = signingKeys(system, environment);
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = await keys.verifier(kid ?? '');
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key.publicKey;
      },
      { algorithms: ['ES256'], typ: 'at+jwt', issuer: url, currentDate: system.clock.now() },
    );
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/**
 * Whether an application may introspect the tokens of another: its own always; those of other applications of its
 * project if it is of the first party and authenticates.
 */
export function mayIntrospect(asking: Application, owner: Application | undefined): boolean {
  if (asking.clientId === owner?.clientId) return true;
  if (!isFirstParty(asking) || (asking.kind !== 'web' && asking.kind !== 'management')) return false;
  return owner?.workspaceId === asking.workspaceId && owner.projectId === asking.projectId;
}

function introspected(asking: Application, known: Known | undefined): object {
  if (!known || !mayIntrospect(asking, known.application)) return { active: false };
  return { ...known.payload, active: true, token_type: known.payload['cnf'] ? 'DPoP' : 'Bearer' };
}

/**
 * Revokes a token of the asking client, and with it the stored tokens of its grant.
 * @returns undefined for another client's token: the refusal stands
 */
async function revoke(provider: Provider, asking: Application, known: Known | undefined): Promise<string | undefined> {
  if (!known) return '';
  if (known.application.clientId !== asking.clientId) return undefined;
  await known.spend();
  if (known.grantId !== undefined) await provider.AccessToken.revokeByGrantId(known.grantId);
  return '';
}

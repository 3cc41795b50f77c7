import type { Account, Provider, TokenEndpointGrantContext } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { Value } from 'typebox/value';
import { verifyAccessToken } from '#access-tokens';
import { type Application, isFirstParty } from '#applications';
import type { UserId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { ctxOf, findAccount, Lifetimes } from './accounts.ts';
import { admittedAccount } from './admission.ts';
import { apiServer } from './apis.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { delegate } from './delegations.ts';
import { type Act, noteExchange } from './exchanged-claims.ts';
import { beginImpersonation, type Acting as Impersonated, readTicket } from './impersonation-tickets.ts';
import { applyOrganization } from './organization-switches.ts';
import { readSubject, type Subject } from './subject-tokens.ts';

const TOKEN_EXCHANGE: Application['grants'][number] = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** A ticket of `POST /v1/admin/members/{id}/impersonate`. */
const TICKET = 'urn:latchkey:params:oauth:token-type:impersonation-ticket';
/** The maximum length of a chain of applications that act for a user. */
const MAX_ACTORS = 3;

const PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'resource',
  'audience',
  'scope',
] as const;
type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;
type Context = TokenEndpointGrantContext<Parameters>;

/** Adds token exchange (RFC 8693) to the token endpoint: an application acts for a user. */
export function offerTokenExchange(provider: Provider, system: System, issuer: IssuerAddress): void {
  provider.registerGrantType<Parameters>(TOKEN_EXCHANGE, (ctx) => exchange(system, issuer, ctx), PARAMETERS);
}

/** Who acts for whom in the new token, under which grant, and until when at most. */
type Acting = {
  userId: UserId;
  account: Account;
  act: Act;
  claims: readonly string[];
  scopes: ReadonlySet<string> | 'offered';
  exp: number;
  /** @returns the id of the grant; undefined if it is not allowed */
  begin: (issued: { resource: string; scopes: readonly string[] }) => Promise<string | undefined>;
};

async function exchange(system: System, issuer: IssuerAddress, ctx: Context): Promise<void> {
  const { client, params, provider } = ctx.oidc;
  const application = applicationOf(client);
  if (!isFirstParty(application)) throw new errors.UnauthorizedClient("only the project's own applications may");
  if (params.requested_token_type !== undefined && params.requested_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`requested_token_type must be "${ACCESS_TOKEN}", or left out`);
  const resource = targetOf(params);
  const acting =
    params.subject_token_type === TICKET
      ? await impersonation(system, issuer, ctx)
      : await delegation(system, issuer, ctx);
  await applyOrganization(system, issuer, { ctx, source: undefined });
  const { account, act, claims } = acting;
  ctx.oidc.entity('Account', account);
  const resourceServer = new provider.ResourceServer(resource, await apiServer(system, ctx, resource));
  const scopes = scopesOf(params.scope, acting.scopes, resourceServer.scopes);
  const grantId = await acting.begin({ resource, scopes });
  if (grantId === undefined) throw refused();
  noteExchange(ctx, { act, claims });
  const { accessToken } = Value.Parse(Lifetimes, account['lifetimes']);
  const token = new provider.AccessToken({
    client,
    accountId: account.accountId,
    grantId,
    gty: 'token_exchange',
    scope: scopes.join(' '),
    resourceServer,
    expiresIn: Math.min(
      resourceServer.accessTokenTTL ?? accessToken,
      acting.exp - Math.floor(system.clock.now().getTime() / 1000),
    ),
  });
  ctx.oidc.entity('AccessToken', token);
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: ACCESS_TOKEN,
    token_type: token.tokenType,
    expires_in: token.expiration,
    scope: scopes.join(' '),
  };
}

/** The client acts for the user of a token. */
async function delegation(system: System, issuer: IssuerAddress, ctx: Context): Promise<Acting> {
  const application = applicationOf(ctx.oidc.client);
  const subject = await subjectOf(system, issuer, ctx);
  const { userId, grant, claims, scopes, exp } = subject;
  ctx.oidc.entity('Grant', grant);
  const account = await admittedAccount(system, ctx, { subject: userId, source: { accountId: userId } });
  if (!account) throw refused();
  return {
    userId,
    account,
    act: actOf(application, subject),
    claims,
    scopes,
    exp,
    begin: (issued) => delegate(system, issuer, { subject, application, ...issued }),
  };
}

/** A supporter acts as the user that their ticket names. */
async function impersonation(system: System, issuer: IssuerAddress, { oidc }: Context): Promise<Acting> {
  const { params, client } = oidc;
  const application = applicationOf(client);
  const { clientId } = application;
  const acting = await readTicket(system, issuer, params.subject_token ?? '');
  if (acting?.projectId !== application.projectId || (acting.clientId ?? clientId) !== clientId) throw refused();
  await requireHolder(system, issuer, { acting, params });
  const { userId, impersonation: of } = acting;
  const account = await findAccount(system, oidc, userId);
  if (!account) throw refused();
  return {
    userId,
    account,
    act: { sub: of.act },
    claims: ['roles', 'permissions'],
    scopes: 'offered',
    exp: of.endsAt,
    begin: () => beginImpersonation(ctxOf(system, application), acting, clientId),
  };
}

/**
 * A member exchanges the ticket with a token of their session. Tickets of others are for one application, which has
 * proven itself.
 * @throws InvalidRequest
 */
async function requireHolder(
  system: System,
  issuer: IssuerAddress,
  { acting, params }: { acting: Impersonated; params: Parameters },
): Promise<void> {
  const { actor_token: token, actor_token_type: type } = params;
  if (acting.impersonation.supporter.kind !== 'customer') {
    if (token === undefined && type === undefined) return;
    throw new errors.InvalidRequest('actor_token is not for this ticket: the client exchanges it for who acts');
  }
  if (token === undefined || type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`actor_token and actor_token_type "${ACCESS_TOKEN}" are required`);
  if (!(await isHolder(system, issuer, { acting, token })))
    throw new errors.InvalidRequest('the actor_token is not of the session that the ticket was given to');
}

/** Whether a token is of the session, in the same project, that a ticket was given to. */
async function isHolder(
  system: System,
  { environment }: IssuerAddress,
  { acting: { projectId, impersonation }, token }: { acting: Impersonated; token: string },
): Promise<boolean> {
  const { supporter } = impersonation;
  if (supporter.kind !== 'customer') return false;
  try {
    const { kind, claims } = await verifyAccessToken(system, environment, token);
    return kind === 'customer' && claims.sid === supporter.sessionId && claims.projectId === projectId;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** The response to a token that is not valid, or not for this application (RFC 8693 §2.2.2). */
function refused(): Error {
  return new errors.InvalidRequest('the subject_token is not valid here');
}

/** @throws InvalidRequest unless the token is of a user of the application's project */
async function subjectOf(system: System, issuer: IssuerAddress, { oidc }: Context): Promise<Subject> {
  const { params, provider, client } = oidc;
  if (params.actor_token !== undefined || params.actor_token_type !== undefined)
    throw new errors.InvalidRequest('actor_token is not supported: the client acts itself');
  if (params.subject_token === undefined || params.subject_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`subject_token and subject_token_type "${ACCESS_TOKEN}" are required`);
  const subject = await readSubject({ system, issuer, provider, token: params.subject_token });
  if (!subject || !isOfSameProject(applicationOf(subject.client), applicationOf(client))) throw refused();
  return subject;
}

function isOfSameProject(one: Application, other: Application): boolean {
  return (
    one.workspaceId === other.workspaceId && one.projectId === other.projectId && one.environment === other.environment
  );
}

/** A token is always for one API of the project, so it opens nothing of Latchkey. */
function targetOf({ resource, audience }: Parameters): string {
  const target = resource ?? audience;
  if (target === undefined || (resource !== undefined && audience !== undefined))
    throw new errors.InvalidTarget('either resource or audience is required');
  return target;
}

/** @throws InvalidScope for a scope that the subject's token does not have */
function scopesOf(wanted: string | undefined, scopes: Acting['scopes'], offered: ReadonlySet<string>): string[] {
  const possible = [...offered].filter((scope) => scopes === 'offered' || scopes.has(scope));
  if (wanted === undefined) return possible;
  const asked = [...new Set(wanted.split(' '))];
  const excess = asked.find((scope) => !possible.includes(scope));
  if (excess !== undefined) throw new errors.InvalidScope('the subject_token does not have this scope', excess);
  return asked;
}

/** @throws InvalidRequest when too many applications act already */
function actOf({ clientId }: Application, { act: earlier }: Subject): Act {
  if (actorsIn(earlier) >= MAX_ACTORS)
    throw new errors.InvalidRequest(`at most ${MAX_ACTORS} applications may act for a person in a chain`);
  return { sub: clientId, ...(earlier && { act: earlier }) };
}

function actorsIn(act: Act | undefined): number {
  return act === undefined ? 0 : 1 + actorsIn(act.act);
}

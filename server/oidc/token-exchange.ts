import type { Provider, TokenEndpointGrantContext } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { Value } from 'typebox/value';
import { type Application, isFirstParty } from '#applications';
import type { System } from '#platform/system.ts';
import { Lifetimes } from './accounts.ts';
import { admittedAccount } from './admission.ts';
import { apiServer } from './apis.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { delegate } from './delegations.ts';
import { type Act, noteExchange } from './exchanged-claims.ts';
import { readSubject, type Subject } from './subject-tokens.ts';

const TOKEN_EXCHANGE: Application['grants'][number] = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** How many applications in a row may act for a user. */
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

async function exchange(system: System, issuer: IssuerAddress, ctx: Context): Promise<void> {
  const { client, params, provider } = ctx.oidc;
  const application = applicationOf(client);
  if (!isFirstParty(application)) throw new errors.UnauthorizedClient("only the project's own applications may");
  const subject = await subjectOf(system, issuer, ctx);
  const resource = targetOf(params);
  const act = actOf(application, subject);
  ctx.oidc.entity('Grant', subject.grant);
  const source = { accountId: subject.userId };
  const account = await admittedAccount(system, ctx, { subject: subject.userId, source });
  if (!account) throw refused();
  ctx.oidc.entity('Account', account);
  const resourceServer = new provider.ResourceServer(resource, await apiServer(system, ctx, resource));
  const scopes = scopesOf(params.scope, subject, resourceServer.scopes);
  const grantId = await delegate(system, issuer, { subject, application, resource, scopes });
  if (grantId === undefined) throw refused();
  noteExchange(ctx, { act, claims: subject.claims });
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
      subject.exp - Math.floor(system.clock.now().getTime() / 1000),
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
  if (params.requested_token_type !== undefined && params.requested_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`requested_token_type must be "${ACCESS_TOKEN}", or left out`);
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
function scopesOf(wanted: string | undefined, { scopes }: Subject, offered: ReadonlySet<string>): string[] {
  const possible = [...scopes].filter((scope) => offered.has(scope));
  if (wanted === undefined) return possible;
  const asked = [...new Set(wanted.split(' '))];
  const excess = asked.find((scope) => !possible.includes(scope));
  if (excess !== undefined) throw new errors.InvalidScope('the subject_token does not have this scope', excess);
  return asked;
}

/** @throws InvalidRequest when too many applications act already */
function actOf({ clientId }: Application, { act: earlier }: Subject): Act {
  if (actorsIn(earlier) >= MAX_ACTORS)
    throw new errors.InvalidRequest(`at most ${MAX_ACTORS} applications in a row may act for a person`);
  return { sub: clientId, ...(earlier && { act: earlier }) };
}

function actorsIn(act: Act | undefined): number {
  return act === undefined ? 0 : 1 + actorsIn(act.act);
}

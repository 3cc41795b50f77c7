import type { InteractionResults } from 'oidc-provider';
import { Value } from 'typebox/value';
import type { ScopeText } from '#apis';
import { type Application, isFirstParty } from '#applications';
import { getOrganizationPolicy } from '#organizations';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema, type OrganizationId, type SessionId, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { revokeSessions } from '#sessions';
import { ctxOf, SCOPES } from './accounts.ts';
import { askedScopes } from './apis.ts';
import { rebind } from './bound-sessions.ts';
import { applicationAt } from './clients.ts';
import { giveConsent } from './consents.ts';
import { organizationAsked } from './organizations.ts';
import { issuerOf } from './provider.ts';
import { wantedLevel } from './wanted-level.ts';

const UserIdSchema = IdSchema('usr');

/** What the provider needs from a person before it responds to an application. */
export type Interaction = {
  uid: string;
  prompt: 'login' | 'consent' | 'select_account';
  reasons: readonly string[];
  /** The user who is already signed in in this browser. */
  current: { userId: UserId } | null;
  application: Application;
  /** The application's request, as checked by the provider. */
  asked: {
    scopes: string[];
    /** Of APIs; only for the consent page. */
    apiScopes: ScopeText[];
    redirectUri: string | null;
    loginHint: string | null;
    /** The organization that the request names. */
    organizationId: OrganizationId | null;
    maxAge: number | null;
    /** Whether the person must prove the account themselves, not through a connection of an organization. */
    ownProof: boolean;
    /** Preferred languages, best first. */
    locales: string | null;
    /** Whether it requests two factors, independently of the project's policy. */
    secondFactor: ReturnType<typeof wantedLevel>;
  };
};

/** A session after a successful sign-in. */
type ProvenSession = {
  userId: UserId;
  sessionId: SessionId;
  amr: string[];
  acr: string;
  authTime: Date;
  expiresAt: Date;
  /** The organization whose connection vouched for the person. */
  organizationId: OrganizationId | null;
};

/**
 * The interaction of the browser's authorization request.
 * @throws Problem INVALID_TOKEN when it is over or was started in another browser
 */
async function read(request: Request, reply: Reply): Promise<Interaction> {
  const { system } = request.server;
  const { provider, issuer } = await issuerOfHost(request);
  const found = await provider.interactionDetails(request.raw, reply.raw).catch((cause: unknown) => {
    throw problem('INVALID_TOKEN', { cause });
  });
  const { params } = found;
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : null);
  const application = await applicationAt(system, issuer, text('client_id') ?? '');
  if (!application) throw problem('INVALID_TOKEN');
  const { name } = found.prompt;
  const organizationId = (await organizationAsked(ctxOf(system, application), params)) ?? null;
  const current = Value.Check(UserIdSchema, found.session?.accountId) ? { userId: found.session.accountId } : null;
  return {
    uid: found.uid,
    prompt: name === 'consent' || name === 'select_account' ? name : 'login',
    reasons: found.prompt.reasons,
    current,
    application,
    asked: {
      scopes:
        text('scope')
          ?.split(' ')
          .filter((scope) => SCOPES.includes(scope)) ?? [],
      apiScopes:
        name === 'consent' && current ? await askedScopes(system, application, { params, userId: current.userId }) : [],
      redirectUri: text('redirect_uri'),
      loginHint: text('login_hint'),
      organizationId,
      maxAge: typeof params['max_age'] === 'number' ? params['max_age'] : null,
      ownProof: text('own_proof') === 'true',
      locales: text('ui_locales')?.replaceAll(' ', ',') ?? null,
      secondFactor: await levelAsked(ctxOf(system, application), organizationId, params),
    },
  };
}

/** The level that the application asks for; a second factor if it names an organization that requires one. */
async function levelAsked(ctx: Ctx, organizationId: OrganizationId | null, params: Record<string, unknown>) {
  const policy = organizationId ? await getOrganizationPolicy(ctx, organizationId) : undefined;
  return policy?.mfa === 'required' ? 'essential' : wantedLevel(params);
}

async function issuerOfHost(request: Request) {
  const { system, host } = request.server;
  if (host.environment === null) throw new Error('Interactions belong to a host with an environment.');
  const issuer = { ...request.address, environment: host.environment };
  const { provider } = await issuerOf(system, issuer);
  return { provider, issuer };
}

type Exchange = { request: Request; reply: Reply };

/** Adds the organization to the authorization request, unless the request names one. */
async function enterOrganization({ request, reply }: Exchange, organizationId: OrganizationId): Promise<void> {
  const { provider } = await issuerOfHost(request);
  const found = await provider.interactionDetails(request.raw, reply.raw);
  if (found.params['organization'] !== undefined) return;
  found.params['organization'] = organizationId;
  await found.save(found.exp - found.iat);
}

/** @returns the next address for the browser */
async function respond({ request, reply }: Exchange, result: InteractionResults): Promise<string> {
  const { provider } = await issuerOfHost(request);
  return provider.interactionResult(request.raw, reply.raw, result);
}

type SignedIn = { ctx: Ctx; interaction: Interaction; session: ProvenSession };

/**
 * Tells the provider who signed in. If the same user was already signed in, as for a step-up, the new session replaces
 * the earlier one, with its applications (ASVS 7.2.4; SE-1).
 * @returns the next address for the browser
 */
async function signedIn(exchange: Exchange, { ctx, interaction, session }: SignedIn): Promise<string> {
  const { workspaceId, projectId } = ctx.scope;
  if (interaction.current?.userId === session.userId) await replaceSession(exchange, ctx, session);
  if (session.organizationId !== null) await enterOrganization(exchange, session.organizationId);
  if (interaction.asked.secondFactor === 'essential' && session.acr === 'aal1')
    return respond(exchange, {
      error: 'unmet_authentication_requirements',
      error_description: 'the person has no second factor that reaches what was asked for',
    });
  const login = {
    accountId: session.userId,
    acr: session.acr,
    amr: session.amr,
    ts: seconds(session.authTime),
    sessionId: session.sessionId,
    endsAt: seconds(session.expiresAt),
    workspaceId,
    projectId,
  };
  return respond(exchange, { login, select_account: {}, create: {} });
}

async function replaceSession({ request, reply }: Exchange, ctx: Ctx, session: ProvenSession): Promise<void> {
  const { provider } = await issuerOfHost(request);
  const { session: browser } = await provider.interactionDetails(request.raw, reply.raw);
  const before = browser && (await provider.Session.findByUid(browser.uid));
  if (!before?.sessionId || before.sessionId === session.sessionId) return;
  const from = before.sessionId;
  await transaction(ctx, async (tx) => {
    await rebind(tx, from, session);
    await revokeSessions(tx, session.userId, { only: from }, 'reauthenticated');
  });
}

/**
 * The person continues as the current user.
 * @returns the next address for the browser
 */
function picked(exchange: Exchange): Promise<string> {
  return respond(exchange, { select_account: {} });
}

function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}

/**
 * Stores the user's consent for the application.
 * @returns the next address for the browser
 */
async function allowed(exchange: Exchange, ctx: Ctx, interaction: Interaction & { userId: UserId }): Promise<string> {
  const { application, asked, userId } = interaction;
  if (!isFirstParty(application)) await giveConsent(ctx, userId, { applicationId: application.id, ...asked });
  return respond(exchange, { consent: {} });
}

/**
 * The person refuses (RFC 6749 §4.1.2.1).
 * @returns the next address for the browser
 */
function refused(exchange: Exchange): Promise<string> {
  return respond(exchange, { error: 'access_denied', error_description: 'the person cancelled' });
}

/** The provider's interactions, for the pages that complete them. */
export const interactions = { read, signedIn, picked, allowed, refused };

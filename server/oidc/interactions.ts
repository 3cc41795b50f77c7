import type { InteractionResults } from 'oidc-provider';
import { type Application, findApplication } from '#applications';
import { type Ctx, transaction } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import type { SessionId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { giveConsent } from './grants.ts';
import { issuerOf } from './provider.ts';

/** What the provider wants to know from a person before it answers an application. */
export type Interaction = {
  uid: string;
  prompt: 'login' | 'consent' | 'select_account';
  reasons: readonly string[];
  application: Application;
  /** What the application asked, as the provider checked it. */
  asked: {
    scopes: string[];
    redirectUri: string | null;
    loginHint: string | null;
    maxAge: number | null;
    /** Preferred languages, best first. */
    locales: string | null;
    acrValues: string[];
  };
};

/** A session that a person proved. */
export type ProvenSession = {
  userId: UserId;
  sessionId: SessionId;
  amr: string[];
  acr: string;
  authTime: Date;
  expiresAt: Date;
};

/** The question of the browser's authorization request. @throws Problem INVALID_TOKEN when it is over or was begun elsewhere */
async function read(request: Request, reply: Reply): Promise<Interaction> {
  const { provider, environment } = await issuerOfHost(request);
  const found = await provider.interactionDetails(request.raw, reply.raw).catch((cause: unknown) => {
    throw problem('INVALID_TOKEN', { cause });
  });
  const { params } = found;
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : null);
  const application = await findApplication(request.server.system, environment, text('client_id') ?? '');
  if (!application) throw problem('INVALID_TOKEN');
  const { name } = found.prompt;
  return {
    uid: found.uid,
    prompt: name === 'consent' || name === 'select_account' ? name : 'login',
    reasons: found.prompt.reasons,
    application,
    asked: {
      scopes: text('scope')?.split(' ') ?? [],
      redirectUri: text('redirect_uri'),
      loginHint: text('login_hint'),
      maxAge: typeof params['max_age'] === 'number' ? params['max_age'] : null,
      locales: text('ui_locales')?.replaceAll(' ', ',') ?? null,
      acrValues: text('acr_values')?.split(' ') ?? [],
    },
  };
}

async function issuerOfHost(request: Request) {
  const { system, host } = request.server;
  if (host.environment === null) throw new Error('Interactions belong to a host with an environment.');
  const { provider } = await issuerOf(system, host.environment);
  return { provider, environment: host.environment };
}

type Exchange = { request: Request; reply: Reply };

/** @returns where the browser goes on to */
async function answer({ request, reply }: Exchange, result: InteractionResults): Promise<string> {
  const { provider } = await issuerOfHost(request);
  return provider.interactionResult(request.raw, reply.raw, result);
}

/** Tells the provider who signed in. @returns where the browser goes on to */
function signedIn(exchange: Exchange, ctx: Ctx, session: ProvenSession): Promise<string> {
  const { workspaceId, projectId } = ctx.scope;
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
  return answer(exchange, { login, select_account: {} });
}

function seconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}

/** Writes down that the person lets the application in. @returns where the browser goes on to */
async function allowed(exchange: Exchange, ctx: Ctx, interaction: Interaction & { userId: UserId }): Promise<string> {
  const { application, asked, userId } = interaction;
  if (!application.firstParty)
    await transaction(ctx, (tx) => giveConsent(tx, userId, { applicationId: application.id, scopes: asked.scopes }));
  return answer(exchange, { consent: {} });
}

/** The person does not want to (RFC 6749 §4.1.2.1). @returns where the browser goes on to */
function refused(exchange: Exchange): Promise<string> {
  return answer(exchange, { error: 'access_denied', error_description: 'the person cancelled' });
}

/** The questions of the provider, for the pages that answer them. */
export const interactions = { read, signedIn, allowed, refused };

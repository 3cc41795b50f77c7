import type { Account, Client, KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import { hasClaimActions } from '#actions';
import { admit, type Decision, deviceOfSession, mustBeLookedAtAgain } from '#admission';
import { type Application, isFirstParty } from '#applications';
import { defaultOrganizationOf } from '#default-organizations';
import { projectOf } from '#environments';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { IdSchema, type OrganizationId } from '#platform/ids.ts';
import { parseSource } from '#platform/source.ts';
import type { System } from '#platform/system.ts';
import { enterProject, findEntry, findSession } from '#sessions';
import type { Settings } from '#settings';
import { ctxOf, customClaimsOf, findAccount } from './accounts.ts';
import type { Bound } from './bound-sessions.ts';
import { applicationOf } from './clients.ts';
import { organizationAsked } from './organizations.ts';
import { settle } from './record-writes.ts';
import { wantedLevel } from './wanted-level.ts';

const UserIdSchema = IdSchema('usr');

/** Cached per request, because several of its steps need the decision. */
const decided = new WeakMap<KoaContextWithOIDC['oidc'], { decision: Promise<Decision> }>();

/**
 * Decides whether the browser's session suffices for the project of the application that requests authorization, and
 * for what the application requests. Other prompts check whether a user is signed in and is a member.
 * @param grant the grant that the session already has with the application
 */
export function decisionOn(system: System, ctx: KoaContextWithOIDC, grant?: Bound): Promise<Decision> {
  const { oidc } = ctx;
  const known = decided.get(oidc);
  if (known) return known.decision;
  const decision = decideOn(system, ctx, grant);
  decided.set(oidc, { decision });
  return decision;
}

const ADMITTED: Decision = { kind: 'admitted', by: 'proof', joins: false };

async function decideOn(system: System, ctx: KoaContextWithOIDC, grant?: Bound): Promise<Decision> {
  const { oidc } = ctx;
  const { session, account, client } = oidc;
  if (!session || !account || !client) return ADMITTED;
  const application = applicationOf(client);
  const organizationId = await organizationEntered(system, ctx);
  if (organizationId === undefined) return { kind: 'refused', because: 'no_organization' };
  const { settings } = await projectOf(system, application);
  const { acr = 'aal1' } = session;
  const isKept = organizationId === null && secondFactorAsked(oidc) === 'no';
  if (grant?.admittedUnder && isKept && !isStricter(settings, { acr, grant }))
    return { kind: 'admitted', by: grant.onDevice ? 'remembered_device' : 'proof', joins: false };
  return decideIn(system, ctx, organizationId);
}

/** Cached per request, because several of its steps need it. */
const entered = new WeakMap<
  KoaContextWithOIDC['oidc'],
  { organizationId: Promise<OrganizationId | null | undefined> }
>();

/**
 * The organization that an authorization request enters: the one it names; or the default of the signed-in user, if the
 * application wants it and the browser's session suffices for it as it is. The sign-in succeeds without the default.
 * @returns null for none; undefined if the request names one that the project does not have
 */
export async function organizationEntered(
  system: System,
  ctx: KoaContextWithOIDC,
): Promise<OrganizationId | null | undefined> {
  const { oidc } = ctx;
  const { session, account, client } = oidc;
  if (!client) return null;
  const application = applicationOf(client);
  const named = await organizationAsked(ctxOf(system, application), oidc.params);
  if (named !== null || !application.usesDefaultOrganization || !session || !account) return named;
  const known = entered.get(oidc);
  if (known) return known.organizationId;
  const organizationId = defaultEntered(system, ctx);
  entered.set(oidc, { organizationId });
  return organizationId;
}

async function defaultEntered(system: System, ctx: KoaContextWithOIDC): Promise<OrganizationId | null> {
  const { client, session } = ctx.oidc;
  if (!Value.Check(UserIdSchema, session?.accountId)) return null;
  const organizationId = await defaultOrganizationOf(ctxOf(system, applicationOf(client)), session.accountId);
  if (organizationId === null) return null;
  const { kind } = await decideIn(system, ctx, organizationId);
  return kind === 'admitted' ? organizationId : null;
}

async function decideIn(
  system: System,
  { oidc, ip }: KoaContextWithOIDC,
  organizationId: OrganizationId | null,
): Promise<Decision> {
  const { session } = oidc;
  if (!session || !Value.Check(UserIdSchema, session.accountId)) return ADMITTED;
  const application = applicationOf(oidc.client);
  const ctx = ctxOf(system, application);
  const secondFactor = secondFactorAsked(oidc);
  const proof = await proofOf(ctx, session, { usesCurrent: secondFactor === 'no' });
  const trace = { ...ctx.trace, ip: parseSource(ip) };
  const { decision } = await admit({ ...ctx, trace }, 'authorize', {
    userId: session.accountId,
    member: 'active',
    organizationId,
    party: isFirstParty(application) ? 'first' : 'third',
    proof,
    device: deviceOfSession(ctx, session.accountId, proof),
    isInside: () => isInside(ctx, session),
    asked: { secondFactor },
  });
  return decision;
}

/** Whether the browser's session is in the application's project: it signed in there, or entered it before. */
async function isInside(ctx: Ctx, { sessionId, projectId }: Bound): Promise<boolean> {
  if (projectId === ctx.scope.projectId) return true;
  return sessionId !== undefined && (await findEntry(ctx, sessionId)) !== undefined;
}

/**
 * The proof of the browser's session. Tokens state the level with which the session started; the policies of project and
 * organization use the current level.
 */
async function proofOf(
  ctx: Ctx,
  { sessionId, acr = 'aal1', amr = [], loginTs = 0 }: NonNullable<KoaContextWithOIDC['oidc']['session']>,
  { usesCurrent }: { usesCurrent: boolean },
) {
  const live = sessionId ? await findSession(ctx, sessionId) : undefined;
  if (live && acr === 'aal1' && usesCurrent) return live;
  const authTime = new Date(loginTs * 1000);
  return { amr, acr, authTime, rememberedDevice: null, signInMethods: live?.signInMethods ?? [] };
}

/** A voluntary request is attempted once (OpenID Connect Core §3.1.2.1). */
function secondFactorAsked({ params, result }: KoaContextWithOIDC['oidc']) {
  const wanted = wantedLevel(params);
  return wanted === 'wished' && result?.login ? 'no' : wanted;
}

function isStricter(settings: Settings, { acr, grant }: { acr: string; grant: Bound | undefined }): boolean {
  return mustBeLookedAtAgain(settings, {
    acr,
    under: grant?.admittedUnder ?? null,
    remembered: grant?.onDevice === true,
  });
}

/** Enters another project with a session that started in a first one. The user was admitted: {@link decisionOn}. */
export async function enterProjectOf(
  system: System,
  application: Application,
  { sessionId, projectId }: Bound,
): Promise<void> {
  if (!sessionId || !projectId || projectId === application.projectId) return;
  await transaction(ctxOf(system, application), async (tx) => {
    if (await findEntry(tx, sessionId)) return;
    await enterProject(tx, { sessionId, fromProjectId: projectId, organizationId: null, admit: async () => undefined });
  });
}

/**
 * The policy under which a user was admitted. It is stored with a grant, so that tokens are renewed without reading the
 * session while the policy still holds.
 */
export async function admittedUnder(
  system: System,
  application: Application,
  decision: Decision,
): Promise<Required<Pick<Bound, 'admittedUnder' | 'onDevice'>>> {
  const { settings } = await projectOf(system, application);
  const onDevice = decision.kind === 'admitted' && decision.by === 'remembered_device';
  return { admittedUnder: settings.mfa, onDevice };
}

/** What a code or refresh token states about its sign-in. */
type Source = { accountId?: string | undefined; acr?: unknown };

/**
 * The account of a request, as {@link findAccount} returns it. At the token endpoint it is undefined if the session no
 * longer suffices for the project, or the user may no longer enter the organization of the grant. The code or refresh
 * token is then refused (`invalid_grant`).
 */
export async function admittedAccount(
  system: System,
  { oidc }: KoaContextWithOIDC,
  { subject, source }: { subject: string; source: Source | undefined },
): Promise<Account | undefined> {
  const account = await findAccount(system, oidc, subject);
  if (!account || oidc.route !== 'token' || !source || !oidc.client) return account;
  if (!(await goesOn(system, oidc.client, { source, grant: oidc.entities.Grant }))) return undefined;
  // An action may take seconds; a replay of the code meanwhile must find it used.
  if (await hasClaimActions(ctxOf(system, applicationOf(oidc.client)))) await settle(system, oidc);
  // Before a refresh token is spent: it can be presented again if an action fails.
  await customClaimsOf(account);
  return account;
}

async function goesOn(
  system: System,
  client: Client,
  { source, grant }: { source: Source; grant: Bound | undefined },
): Promise<boolean> {
  const application = applicationOf(client);
  const { settings } = await projectOf(system, application);
  const { accountId } = source;
  const acr = typeof source.acr === 'string' ? source.acr : 'aal1';
  const organizationId = grant?.organizationId ?? null;
  if (organizationId === null && !isStricter(settings, { acr, grant })) return true;
  if (!grant?.sessionId || !Value.Check(UserIdSchema, accountId)) return false;
  const ctx = ctxOf(system, application);
  const proof = await findSession(ctx, grant.sessionId);
  if (!proof) return false;
  const { decision } = await admit(ctx, 'oidc_token', {
    userId: accountId,
    member: 'active',
    organizationId,
    party: isFirstParty(application) ? 'first' : 'third',
    proof,
    device: deviceOfSession(ctx, accountId, proof),
  });
  return decision.kind === 'admitted';
}

import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { accountPageId } from '#applications';
import { projectOf } from '#environments';
import { withQuery } from '#exchange';
import { browserSession, type usedApplications } from '#oidc';
import { type BrowserVisit, browserFlow, StepFault, type TextId, voiceOf } from '#pages';
import { getProfile, type Profile } from '#people';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { standingIn } from '#platform/standing.ts';
import { AddressChallengeId } from '#proofs';
import { anonymousCtx, ctxFor } from '#requests';
import type { securityOf } from '#self';
import { findEntry, type ProvenEntry } from '#sessions';
import type { Settings } from '#settings';
import { isClosed } from '#tenancy';

/** The state between two pages of the account; kept by the browser, encrypted. */
const Step = Type.Object({
  fault: Type.Optional(StepFault),
  notice: Type.Optional(Type.Literal('saved')),
  /** Where a code was sent, and its purpose. */
  sent: Type.Optional(
    Type.Object({
      kind: Type.Enum(['email', 'phone', 'phone_factor']),
      flowId: AddressChallengeId,
      address: Type.String(),
    }),
  ),
  enrolment: Type.Optional(Type.Object({ id: IdSchema('fac'), secret: Type.String(), uri: Type.String() })),
  recoveryCodes: Type.Optional(Type.Array(Type.String())),
  /** The linking code that came back from the provider. */
  linking: Type.Optional(Type.String()),
});
type Step = Static<typeof Step>;

/** A signed-in user on their account page. */
export type Visit = BrowserVisit<Step> & {
  ctx: Ctx;
  settings: Settings;
  profile: Profile;
  /** What the person of a preview has. */
  sample?: { security: Awaited<ReturnType<typeof securityOf>>; used: Awaited<ReturnType<typeof usedApplications>> };
};

/** A visit by somebody who is there: `entry` is the entry in the project, with what its session proved. */
export type AdmittedVisit = Visit & { entry: ProvenEntry };

export const BASE = '/account';
const OWN_PATH = /^\/account(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;

const FAULTS: Readonly<Record<string, TextId>> = {
  ACCOUNT_THROTTLED: 'fault.later',
  ALREADY_EXISTS: 'fault.taken',
  CONFLICT: 'fault.invalid',
  INVALID_CODE: 'fault.code',
  INVALID_CREDENTIALS: 'fault.currentPassword',
  INVALID_TOKEN: 'fault.upstream',
  LAST_OWNER: 'fault.lastOwner',
  LAST_SIGN_IN_METHOD: 'fault.lastWayIn',
  MEMBER_BLOCKED: 'fault.blocked',
  METHOD_DISABLED: 'fault.method',
  NOT_FOUND: 'fault.gone',
  ORGANIZATION_ADDRESS: 'fault.refused',
  ORGANIZATION_METHOD: 'fault.method',
  /** Not a problem code: a CONFLICT with the maximum of members. */
  ORGANIZATION_FULL: 'fault.full',
  RATE_LIMIT_EXCEEDED: 'fault.later',
  REFUSED_BY_ACTION: 'fault.refused',
  SERVICE_UNAVAILABLE: 'fault.unavailable',
  WEAK_PASSWORD: 'fault.weak',
};

const flow = browserFlow({ purpose: 'account-step', parse: (value): Step => Value.Parse(Step, value), faults: FAULTS });
export const { goTo, explain, faultOf, show: send } = flow;

/**
 * The visitor, by the browser's sign-in.
 * @returns undefined for a visitor who is not signed in, or no longer a member
 */
export async function visitOf(request: Request, reply: Reply): Promise<AdmittedVisit | undefined> {
  const session = await browserSession(request, reply);
  if (!session) return undefined;
  const { userId, sessionId, scope } = session;
  if (await isClosed(request.server.system, scope)) return undefined;
  const found = ctxFor(request, scope);
  const entry = await findEntry(found, sessionId);
  if (!entry) return undefined;
  const { organizationId } = request.address;
  if (organizationId !== null && (await standingIn(found, { organizationId, userId }))?.status !== 'active')
    return undefined;
  const { entryId } = entry;
  const ctx: Ctx = { ...found, actor: { kind: 'customer', userId, sessionId, entryId } };
  const profile = await getProfile(ctx, userId);
  const { settings } = await projectOf(ctx.system, scope);
  const languages = profile.locale ?? request.trace.languages;
  const voice = await voiceOf({ system: ctx.system, in: { scope, organizationId }, languages });
  const place = { base: BASE, owner: userId, cookie: ['account', null] } as const;
  return { request, reply, place, ctx, entry, settings, voice, profile, step: flow.readStep(request, place) };
}

/**
 * The project whose account page a visitor without a session asks for: that of `clientId`, or the environment's own.
 */
export async function scopeAsked(request: Request): Promise<Scope> {
  const { clientId } = Object(request.query);
  return (await anonymousCtx(request, typeof clientId === 'string' ? { clientId } : {})).scope;
}

type Again = { as: string | null; secondFactor: boolean; ownProof: boolean };
type SignIn = { scope: Scope; back: string; again?: Again };

/**
 * Sends the visitor to the sign-in pages, and from there back to this page.
 * @param again for a signed-in user who must authenticate again: with a second factor, by a proof of their own, or
 * with any
 */
export function toSignIn({ address: { url: own } }: Request, reply: Reply, { scope, back, again }: SignIn): Reply {
  const url = withQuery(`${own}/connect/authorize`, {
    client_id: accountPageId(scope),
    response_type: 'none',
    scope: 'openid',
    redirect_uri: `${own}${BASE}/return`,
    state: back,
    prompt: again && 'login',
    login_hint: again?.as,
    acr_values: again?.secondFactor ? 'aal2' : null,
    own_proof: again?.ownProof ? 'true' : null,
  });
  return reply.redirect(url, 303);
}

/** The page from which a sign-in started; only a page of the account. */
export function cameFrom(state: unknown): string {
  return typeof state === 'string' && OWN_PATH.test(state) ? state : BASE;
}

/** The ways in which a visit ends. */
export type Farewell = 'signed-out' | 'left' | 'erasing';

/** Shows a closing page to a visitor who is no longer signed in, in the branding of the same project. */
export function sayGoodbye(visit: Visit, farewell: Farewell): Reply {
  return leaveFor(visit, farewellPath(visit, farewell));
}

/** The path of the page that says goodbye. */
export function farewellPath({ ctx }: Pick<Visit, 'ctx'>, farewell: Farewell): string {
  return `${BASE}/${farewell}?${new URLSearchParams({ clientId: accountPageId(ctx.scope) })}`;
}

/** Goes elsewhere after the session of the visit has ended. */
export function leaveFor(visit: Visit, url: string): Reply {
  flow.keepStep(visit, {});
  return visit.reply.redirect(url, 303);
}

import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { accountPageId } from '#applications';
import { withQuery } from '#exchange';
import { browserSession } from '#oidc';
import { type Voice, voiceOf } from '#pages';
import { getProfile, type Profile } from '#people';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { FlowId } from '#proofs';
import { anonymousCtx, ctxFor } from '#requests';
import { type ProvenEntry, provenEntry } from '#sessions';
import type { Settings } from '#settings';
import { isClosed, projectOf } from '#tenancy';

/** What a person is in the middle of; kept by the browser, encrypted. */
const Step = Type.Object({
  fault: Type.Optional(Type.Object({ code: Type.String(), minutes: Type.Optional(Type.Number()) })),
  notice: Type.Optional(Type.Literal('saved')),
  /** Where a code was sent, to become what. */
  sent: Type.Optional(
    Type.Object({ kind: Type.Enum(['email', 'phone', 'phone_factor']), flowId: FlowId, address: Type.String() }),
  ),
  enrolment: Type.Optional(Type.Object({ id: IdSchema('fac'), secret: Type.String(), uri: Type.String() })),
  recoveryCodes: Type.Optional(Type.Array(Type.String())),
  /** The code of a linking that came back from the provider. */
  linking: Type.Optional(Type.String()),
});
export type Step = Static<typeof Step>;

/** A signed-in person on their account page. */
export type Visit = {
  request: Request;
  reply: Reply;
  ctx: Ctx;
  /** What their sign-in is worth in the project. */
  entry: ProvenEntry;
  settings: Settings;
  voice: Voice;
  profile: Profile;
  step: Step;
};

export const BASE = '/account';
const SEALED = 'account-step';
const OWN_PATH = /^\/account(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;

/** Who visits, by the browser's sign-in. @returns undefined for somebody who is not signed in, or no member any more */
export async function visitOf(request: Request, reply: Reply): Promise<Visit | undefined> {
  const session = await browserSession(request, reply);
  if (!session) return undefined;
  const { userId, sessionId, scope } = session;
  if (await isClosed(request.server.system, scope)) return undefined;
  const found = ctxFor(request, scope);
  const entry = await provenEntry(found, sessionId);
  if (!entry) return undefined;
  const { entryId } = entry;
  const ctx: Ctx = { ...found, actor: { kind: 'customer', userId, sessionId, entryId } };
  const profile = await getProfile(ctx, userId);
  const { settings } = await projectOf(ctx.system, scope);
  const languages = profile.locale ?? request.trace.languages;
  const voice = await voiceOf({ system: ctx.system, scope, languages });
  return { request, reply, ctx, entry, settings, voice, profile, step: readStep(request, userId) };
}

/** The project whose account page a stranger asks for: that of `clientId`, or the environment's own. */
export async function scopeAsked(request: Request): Promise<Scope> {
  const { clientId } = Object(request.query);
  return (await anonymousCtx(request, typeof clientId === 'string' ? { clientId } : {})).scope;
}

type SignIn = { scope: Scope; back: string; again?: { as: string | null; secondFactor: boolean } };

/**
 * Has the person sign in like at any application, and come back to the page.
 * @param again for somebody who is signed in, and shall prove it anew: with a second factor, or with any
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
  });
  return reply.redirect(url, 303);
}

/** The page that a sign-in began at; only one of ours. */
export function cameFrom(state: unknown): string {
  return typeof state === 'string' && OWN_PATH.test(state) ? state : BASE;
}

function stepCookie({ address, server: { host } }: Request): string {
  return cookieName(address, host.environment, 'account');
}

function readStep(request: Request, userId: string): Step {
  const sealed = request.cookies[stepCookie(request)];
  if (sealed === undefined) return {};
  try {
    return Value.Parse(Step, JSON.parse(request.server.system.keyring.open(sealed, SEALED, userId)));
  } catch {
    // Somebody else's, or made with a secret that is gone.
    return {};
  }
}

function keepStep({ request, reply, profile: { userId } }: Visit, step: Step): void {
  const { keyring } = request.server.system;
  const options = cookieOptions(request.address, 'lax');
  const name = stepCookie(request);
  if (Object.keys(step).length === 0) reply.clearCookie(name, options);
  else reply.setCookie(name, keyring.seal(JSON.stringify(step), SEALED, userId), { ...options, maxAge: 3_600 });
}

/** Goes on to another page: always with a GET, so that reloading repeats nothing (OA-6). What is not in `step` is forgotten. */
export function goTo(visit: Visit, page: string, step: Step = {}): Reply {
  keepStep(visit, step);
  return visit.reply.redirect(BASE + page, 303);
}

/** How a visit can end. */
export type Farewell = 'signed-out' | 'left' | 'erasing';

/** Says goodbye to who is not signed in any more, in the look of the same project. */
export function leaveAccount(visit: Visit, farewell: Farewell): Reply {
  keepStep(visit, {});
  const query = new URLSearchParams({ clientId: accountPageId(visit.ctx.scope) });
  return visit.reply.redirect(`${BASE}/${farewell}?${query}`, 303);
}

/** Goes back to a page that then says what was wrong; anything unexpected is thrown on. */
export function explain(visit: Visit, page: string, error: unknown): Reply {
  if (!(error instanceof Problem) || error.code === 'REAUTHENTICATION_REQUIRED') throw error;
  if (error.status >= 500 && error.code !== 'SERVICE_UNAVAILABLE') throw error;
  const retryAfter = error.extensions['retryAfter'];
  const minutes = typeof retryAfter === 'number' ? Math.max(1, Math.ceil(retryAfter / 60)) : undefined;
  return goTo(visit, page, { ...visit.step, fault: { code: error.code, ...(minutes && { minutes }) } });
}

/** What was said once is not said again; the rest of the step stays. */
export function said(visit: Visit): void {
  const { fault, notice, ...kept } = visit.step;
  if (fault || notice) keepStep(visit, kept);
}

import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { challengeOf, keepMark, newMark } from '#exchange';
import type { LinkRequired } from '#federation';
import type { MfaSession } from '#mfa';
import { type Interaction, interactions } from '#oidc';
import { type Page, renderPage, type Voice, voiceOf } from '#pages';
import { cookieName, cookieOptions, surplusCookies } from '#platform/cookies.ts';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { FlowId } from '#proofs';
import { ctxFor } from '#requests';
import type { Settings } from '#settings';
import { MfaChallenge, openMethods, type SignInAnswer } from '#sign-in';
import { projectOf } from '#tenancy';

/** What a message was sent for, and what its code will do. */
const Sent = Type.Object({
  way: Type.Enum(['magic_link', 'email_code', 'phone', 'verify', 'reset']),
  flowId: FlowId,
  address: Type.String(),
});
export type Sent = Static<typeof Sent>;

/** Where a person stands between the pages of one sign-in; kept by the browser, encrypted. */
const Step = Type.Object({
  identifier: Type.Optional(Type.String()),
  /** Not as whom the browser is signed in already. */
  another: Type.Optional(Type.Boolean()),
  fault: Type.Optional(Type.Object({ code: Type.String(), minutes: Type.Optional(Type.Number()) })),
  notice: Type.Optional(Type.Literal('reset')),
  sent: Type.Optional(Sent),
  mfa: Type.Optional(MfaChallenge),
  factorId: Type.Optional(Type.String()),
  enrolment: Type.Optional(Type.Object({ id: IdSchema('fac'), secret: Type.String(), uri: Type.String() })),
  /** What only this sign-in knows: the code that a provider or a mailed link brings back is exchanged with it (PKCE). */
  verifier: Type.Optional(Type.String()),
  /** The provider the person left for. */
  provider: Type.Optional(Type.String()),
  /** An identity there that is linked once the person has proven the account of its address. */
  link: Type.Optional(Type.Object({ code: Type.String(), hint: Type.String() })),
  recoveryCodes: Type.Optional(Type.Array(Type.String())),
  /** Who signed in, and may link. */
  session: Type.Optional(Type.Object({ userId: IdSchema('usr'), sessionId: IdSchema('ses') })),
  /** Where the browser goes on to after what is shown once. */
  next: Type.Optional(Type.String()),
});
export type Step = Static<typeof Step>;

/** One sign-in in one browser: the application's question and how far its answer has come. */
export type Flow = {
  request: Request;
  reply: Reply;
  ctx: Ctx;
  interaction: Interaction;
  settings: Settings;
  voice: Voice;
  step: Step;
};

export const BASE = '/sign-in';
const SEALED = 'sign-in-step';
const DEVICE_SECONDS = 90 * 86_400;

/** Reads the sign-in a request belongs to. @throws Problem INVALID_TOKEN when it is over, or this browser did not begin it */
export async function flowOf(request: Request, reply: Reply): Promise<Flow> {
  const interaction = await interactions.read(request, reply);
  const { workspaceId, projectId, environment } = interaction.application;
  const wantsSecondFactor = interaction.asked.secondFactor !== 'no';
  const ctx: Ctx = {
    ...ctxFor(request, { workspaceId, projectId, environment }),
    ...(wantsSecondFactor && { wantsSecondFactor }),
  };
  const project = await projectOf(ctx.system, ctx.scope);
  const settings = { ...project.settings, signInMethods: await openMethods(ctx) };
  const languages = interaction.asked.locales ?? request.trace.languages;
  const voice = await voiceOf({ system: ctx.system, scope: ctx.scope, languages });
  return { request, reply, ctx, interaction, settings, voice, step: readStep(request, interaction.uid) };
}

/** Each sign-in of a browser has a step of its own. */
function stepCookie({ address, server: { host } }: Request, uid: string): string {
  return cookieName(address, host.environment, 'step', uid);
}

function deviceCookie({ address, server: { host } }: Request): string {
  return cookieName(address, host.environment, 'device');
}

function readStep(request: Request, uid: string): Step {
  const sealed = request.cookies[stepCookie(request, uid)];
  if (sealed === undefined) return {};
  try {
    return Value.Parse(Step, JSON.parse(request.server.system.keyring.open(sealed, SEALED, uid)));
  } catch {
    // Of another sign-in, or made with a secret that is gone: this one begins anew.
    return {};
  }
}

/** Remembers where the person stands. */
export function keepStep({ request, reply, interaction: { uid } }: Flow, step: Step): void {
  const sealed = request.server.system.keyring.seal(JSON.stringify(step), SEALED, uid);
  const options = cookieOptions(request.address, 'lax');
  const name = stepCookie(request, uid);
  for (const surplus of surplusCookies(request.headers.cookie, stepCookie(request, ''), name))
    reply.clearCookie(surplus, options);
  reply.setCookie(name, sealed, { ...options, maxAge: 3_600 });
}

/** Why somebody is asked to sign in without being asked for a fresh proof. */
const NO_FRESH_PROOF: readonly string[] = ['no_session', 'not_a_member', 'second_factor_required'];

/** The secret of a remembered device, which skips the second factor; not where a fresh proof is asked for, as before linking. */
export function deviceTokenOf({ request, interaction, step }: Flow): string | undefined {
  if (step.link) return undefined;
  const fresh = interaction.reasons.some((reason) => !NO_FRESH_PROOF.includes(reason));
  return fresh ? undefined : request.cookies[deviceCookie(request)];
}

/** The mark of this browser: what it asks for is told from what is opened in another. */
export function markOf({ request, reply }: Flow): string {
  const mark = newMark(request);
  keepMark(request, reply, mark);
  return mark;
}

/** Binds a code that comes back to this sign-in. */
export function bindingTo(verifier: string) {
  return { clientId: null, codeChallenge: challengeOf(verifier) };
}

/** Goes on to another page of this sign-in: always with a GET, so that reloading repeats nothing (OA-6). */
export function goTo(flow: Flow, page: string, step: Step = flow.step): Reply {
  keepStep(flow, step);
  return flow.reply.redirect(`${BASE}/${flow.interaction.uid}${page}`, 303);
}

/** Goes back to a page that then says what was wrong; anything unexpected is thrown on. */
export function explain(flow: Flow, page: string, error: unknown): Reply {
  if (!(error instanceof Problem) || (error.status >= 500 && error.code !== 'SERVICE_UNAVAILABLE')) throw error;
  const retryAfter = error.extensions['retryAfter'];
  const minutes = typeof retryAfter === 'number' ? Math.max(1, Math.ceil(retryAfter / 60)) : undefined;
  return goTo(flow, page, { ...flow.step, fault: { code: error.code, ...(minutes && { minutes }) } });
}

/** Goes back to the first page with a fault that no problem stands for. */
export function failed(flow: Flow, code: 'UPSTREAM'): Reply {
  return goTo(flow, '', { ...flow.step, fault: { code } });
}

/** Shows a page of this sign-in; a fault is said once. */
export function show(flow: Flow, page: Page): Reply {
  const { fault, notice, ...kept } = flow.step;
  if (fault || notice) keepStep(flow, kept);
  const { redirectUri } = flow.interaction.asked;
  const { document, headers } = renderPage(flow.voice, {
    ...page,
    script: page.script === true || flow.settings.proofOfWork === 'required',
    leaves: redirectUri !== null,
  });
  return flow.reply
    .code(fault ? 400 : 200)
    .headers(headers)
    .serializer(String)
    .send(document);
}

type Answer = SignInAnswer | Sending | Static<typeof LinkRequired>;
/** The answer that asks for a code before there is a session. */
type Sending = { status: 'verification_required'; flowId: Sent['flowId']; hint: string };

/** Goes on with what a way in led to: the application, a second factor, a code, or the proof of another account. */
export async function proceed(flow: Flow, answer: Answer | MfaSession): Promise<Reply> {
  if ('access_token' in answer) return enter(flow, answer);
  const { identifier, provider, link } = flow.step;
  const kept: Step = { ...(identifier && { identifier }), ...(provider && { provider }), ...(link && { link }) };
  switch (answer.status) {
    case 'mfa_required':
      return goTo(flow, answer.enrollment ? '/enroll' : '/mfa', { ...kept, mfa: answer });
    case 'verification_required':
      return goTo(flow, '/code', { ...kept, sent: { way: 'verify', flowId: answer.flowId, address: answer.hint } });
    case 'link_required':
      return goTo(flow, '', { ...kept, link: { code: answer.linkToken, hint: answer.hint } });
  }
}

/** The person is in: the provider hears it, and the browser goes back to the application. */
async function enter(flow: Flow, answer: MfaSession): Promise<Reply> {
  const { request, reply, ctx, step } = flow;
  const { userId, id: sessionId, amr, acr, authTime, expiresAt } = answer.session;
  if (answer.deviceToken !== undefined)
    reply.setCookie(deviceCookie(request), answer.deviceToken, {
      ...cookieOptions(request.address, 'lax'),
      maxAge: DEVICE_SECONDS,
    });
  const session = { userId, sessionId, amr, acr, authTime: new Date(authTime), expiresAt: new Date(expiresAt) };
  const next = await interactions.signedIn({ request, reply }, { ctx, interaction: flow.interaction, session });
  const { link, provider } = step;
  const asked: Step = link ? { link, ...(provider && { provider }), session: { userId, sessionId } } : {};
  if (answer.recoveryCodes)
    return goTo(flow, '/recovery-codes', { recoveryCodes: answer.recoveryCodes, next, ...asked });
  return goOn({ ...flow, step: { next, ...asked } });
}

/** What is left to ask, or back to the provider. */
export function goOn(flow: Flow): Reply {
  const { next, link } = flow.step;
  if (next === undefined) return goTo(flow, '');
  return link ? goTo(flow, '/link') : leaveFlow(flow, next);
}

/** Back to the provider; nothing of the pages is kept. */
export function leaveFlow({ request, reply, interaction: { uid } }: Flow, next: string): Reply {
  reply.clearCookie(stepCookie(request, uid), cookieOptions(request.address, 'lax'));
  return reply.redirect(next, 303);
}

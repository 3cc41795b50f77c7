import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { challengeOf, keepMark, newMark } from '#exchange';
import type { LinkRequired } from '#federation';
import type { MfaSession } from '#mfa';
import { MfaChallenge } from '#mfa-challenges';
import { type Interaction, interactions } from '#oidc';
import { getOrganizationPolicy } from '#organizations';
import { type BrowserVisit, browserFlow, type Page, StepFault, type TextId, voiceOf } from '#pages';
import type { UserSummary } from '#people';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { AddressChallengeId } from '#proofs';
import { ctxFor } from '#requests';
import type { Settings } from '#settings';
import { openMethods } from '#sign-in';
import type { SignInResponse } from '#ways';
import { rememberWay } from './last-way.ts';
import { mayOfferPasskey } from './passkey-offers.ts';

/** The purpose of a message that was sent, and what its code does. */
const Sent = Type.Object({
  way: Type.Enum(['magic_link', 'email_code', 'phone', 'verify', 'reset']),
  flowId: AddressChallengeId,
  address: Type.String(),
});
export type Sent = Static<typeof Sent>;

/** The state of one sign-in between its pages; kept by the browser, encrypted. */
const Step = Type.Object({
  identifier: Type.Optional(Type.String()),
  /** The user wants another account than the one the browser is signed in to. */
  another: Type.Optional(Type.Boolean()),
  /** The way in that was taken; this browser remembers it when it succeeds. */
  way: Type.Optional(Type.String()),
  fault: Type.Optional(StepFault),
  notice: Type.Optional(Type.Literal('reset')),
  sent: Type.Optional(Sent),
  mfa: Type.Optional(MfaChallenge),
  factorId: Type.Optional(Type.String()),
  enrolment: Type.Optional(Type.Object({ id: IdSchema('fac'), secret: Type.String(), uri: Type.String() })),
  /** PKCE verifier: the code from a provider or a mailed link can only be exchanged by this sign-in. */
  verifier: Type.Optional(Type.String()),
  /** The identity provider the browser was sent to. */
  provider: Type.Optional(Type.String()),
  /** The browser was sent to the connection of an organization; from there on, the person chooses. */
  routed: Type.Optional(Type.Boolean()),
  /** The organization to whose connection the browser was sent. */
  sentTo: Type.Optional(IdSchema('org')),
  /** The organization whose connection vouched for the person: the pages that follow show its brand. */
  vouchedBy: Type.Optional(IdSchema('org')),
  /** An identity at the provider to link once the user has authenticated to the account with its address. */
  link: Type.Optional(Type.Object({ code: Type.String(), hint: Type.String() })),
  recoveryCodes: Type.Optional(Type.Array(Type.String())),
  /** The user and session that may link the identity. */
  session: Type.Optional(Type.Object({ userId: IdSchema('usr'), sessionId: IdSchema('ses') })),
  /** A passkey is offered before the browser returns to the application. */
  offer: Type.Optional(Type.Boolean()),
  /** The next address after a page that is shown once. */
  next: Type.Optional(Type.String()),
});
type Step = Static<typeof Step>;

/** One sign-in in one browser: the application's request and the progress so far. */
export type Flow = BrowserVisit<Step> & {
  ctx: Ctx;
  interaction: Interaction;
  settings: Settings;
  /** The person of a preview. */
  sample?: UserSummary;
};

const DEVICE_SECONDS = 90 * 86_400;

const FAULTS: Readonly<Record<string, TextId>> = {
  ACCOUNT_THROTTLED: 'fault.later',
  ADDON_REQUIRED: 'fault.noText',
  ALREADY_EXISTS: 'fault.exists',
  INVALID_CODE: 'fault.code',
  INVALID_CREDENTIALS: 'fault.credentials',
  INVALID_TOKEN: 'fault.code',
  MEMBER_BLOCKED: 'fault.blocked',
  MEMBERSHIP_REQUIRED: 'fault.membership',
  METHOD_DISABLED: 'fault.method',
  PASSKEY: 'fault.passkey',
  PLAN_LIMIT_EXCEEDED: 'fault.noText',
  RATE_LIMIT_EXCEEDED: 'fault.later',
  REFUSED_BY_ACTION: 'fault.refused',
  REGISTRATION_CLOSED: 'fault.closed',
  SERVICE_UNAVAILABLE: 'fault.unavailable',
  UPSTREAM: 'fault.upstream',
  WEAK_PASSWORD: 'fault.weak',
};

const pages = browserFlow({
  purpose: 'sign-in-step',
  parse: (value): Step => Value.Parse(Step, value),
  faults: FAULTS,
});
export const { keepStep, goTo, explain, faultOf } = pages;

/**
 * Reads the sign-in a request belongs to.
 * @throws Problem INVALID_TOKEN when it is over, or was started in another browser
 */
export async function flowOf(request: Request, reply: Reply): Promise<Flow> {
  const interaction = await interactions.read(request, reply);
  const { id: applicationId, workspaceId, projectId, environment } = interaction.application;
  const wantsSecondFactor = interaction.asked.secondFactor !== 'no';
  const ctx: Ctx = {
    ...ctxFor(request, { workspaceId, projectId, environment }),
    applicationId,
    ...(wantsSecondFactor && { wantsSecondFactor }),
  };
  const project = await projectOf(ctx.system, ctx.scope);
  const settings = { ...project.settings, signInMethods: await offeredMethods(ctx, interaction.asked) };
  const languages = interaction.asked.locales ?? request.trace.languages;
  const place = placeOf(interaction.uid);
  const step = pages.readStep(request, place);
  const organizationId = interaction.asked.organizationId ?? step.vouchedBy ?? null;
  const voice = await voiceOf({ system: ctx.system, in: { scope: ctx.scope, organizationId }, languages });
  return { request, reply, place, ctx, interaction, settings, voice, step };
}

/** The ways in of the project, without those that the organization of the request does not allow. */
async function offeredMethods(ctx: Ctx, { organizationId }: Interaction['asked']): Promise<Settings['signInMethods']> {
  const open = await openMethods(ctx);
  if (organizationId === null) return open;
  const { signInMethods } = await getOrganizationPolicy(ctx, organizationId);
  return signInMethods === null ? open : open.filter((method) => signInMethods.includes(method));
}

/** Each sign-in of a browser has its own path and its own state. */
export function placeOf(uid: string): Flow['place'] {
  return { base: `/sign-in/${uid}`, owner: uid, cookie: ['step', uid] };
}

function deviceCookie({ address, server: { host } }: Request): string {
  return cookieName(address, host.environment, 'device');
}

/** Reasons for a sign-in page that do not require a fresh proof. */
const NO_FRESH_PROOF: readonly string[] = ['no_session', 'not_a_member', 'second_factor_required'];

/**
 * The secret of a remembered device, which skips the second factor; undefined if a fresh proof is required, as before
 * linking.
 */
export function deviceTokenOf({ request, interaction, step }: Flow): string | undefined {
  if (step.link) return undefined;
  const fresh = interaction.reasons.some((reason) => !NO_FRESH_PROOF.includes(reason));
  return fresh ? undefined : request.cookies[deviceCookie(request)];
}

/** The mark of this browser; it shows whether a link is opened in the browser that requested it. */
export function markOf({ request, reply }: Flow): string {
  const mark = newMark(request);
  keepMark(request, reply, mark);
  return mark;
}

/** Binds a code that comes back to this sign-in. */
export function bindingTo(verifier: string) {
  return { clientId: null, codeChallenge: challengeOf(verifier) };
}

/** Notes the way in that is taken. */
export function by(flow: Flow, way: string): Flow {
  return { ...flow, step: { ...flow.step, way } };
}

/** Returns to the first page with an error that is not a problem. */
export function failed(flow: Flow, code: 'UPSTREAM'): Reply {
  return goTo(flow, '', { ...flow.step, fault: { code } });
}

/** Shows a page of this sign-in. */
export function show(flow: Flow, page: Page): Reply {
  return pages.show(flow, {
    ...page,
    script: page.script === true || flow.settings.proofOfWork === 'required',
    leaves: flow.interaction.asked.redirectUri !== null,
  });
}

type Outcome = SignInResponse | Sending | Static<typeof LinkRequired>;
/** A response that asks for a code before there is a session. */
type Sending = { status: 'verification_required'; flowId: Sent['flowId']; hint: string };

/** Continues after a sign-in method: to the application, a second factor, a code, or the proof of another account. */
export async function proceed(flow: Flow, response: Outcome | MfaSession): Promise<Reply> {
  if ('access_token' in response) return enter(flow, response);
  const { identifier, provider, link, routed, vouchedBy, way } = flow.step;
  const kept: Step = {
    ...(way && { way }),
    ...(identifier && { identifier }),
    ...(provider && { provider }),
    ...(link && { link }),
    ...(routed && { routed }),
    ...(vouchedBy && { vouchedBy }),
  };
  switch (response.status) {
    case 'mfa_required':
      return goTo(flow, response.enrollment ? '/enroll' : '/mfa', { ...kept, mfa: response });
    case 'verification_required':
      return goTo(flow, '/code', { ...kept, sent: { way: 'verify', flowId: response.flowId, address: response.hint } });
    case 'link_required':
      return goTo(flow, '', { ...kept, link: { code: response.linkToken, hint: response.hint } });
  }
}

/** Completes the sign-in at the provider and returns the browser to the application. */
async function enter(flow: Flow, response: MfaSession): Promise<Reply> {
  const { request, reply, ctx, step } = flow;
  const { userId, id: sessionId, organizationId, amr, acr, authTime, expiresAt } = response.session;
  if (response.deviceToken !== undefined)
    reply.setCookie(deviceCookie(request), response.deviceToken, {
      ...cookieOptions(request.address, 'lax'),
      maxAge: DEVICE_SECONDS,
    });
  const session = {
    ...{ userId, sessionId, organizationId, amr, acr },
    authTime: new Date(authTime),
    expiresAt: new Date(expiresAt),
  };
  rememberWay(flow);
  const next = await interactions.signedIn({ request, reply }, { ctx, interaction: flow.interaction, session });
  const { link, provider, vouchedBy } = step;
  const offer = await mayOfferPasskey(flow, userId);
  const asked: Step = {
    ...((link || offer) && { session: { userId, sessionId } }),
    ...(link && { link, ...(provider && { provider }) }),
    ...(offer && { offer }),
    ...(vouchedBy && { vouchedBy }),
  };
  if (response.recoveryCodes)
    return goTo(flow, '/recovery-codes', { recoveryCodes: response.recoveryCodes, next, ...asked });
  return goOn({ ...flow, step: { next, ...asked } });
}

/** Shows the next page, or returns to the provider. */
export function goOn(flow: Flow): Reply {
  const { next, link, offer } = flow.step;
  if (next === undefined) return goTo(flow, '');
  if (link) return goTo(flow, '/link');
  return offer ? goTo(flow, '/passkey-offer') : finishFlow(flow, next);
}

/** Returns to the provider and deletes the state of the pages. */
export function finishFlow(flow: Flow, next: string): Reply {
  keepStep(flow, {});
  return flow.reply.redirect(next, 303);
}

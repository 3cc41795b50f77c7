import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ownOriginsOf } from '#applications';
import {
  type BrowserVisit,
  browserFlow,
  type Markup,
  renderPage,
  StepFault,
  type TextId,
  type Voice,
  voiceOf,
} from '#pages';
import { cookieName, cookieOptions, framedCookieOptions } from '#platform/cookies.ts';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { noteProblem } from '#platform/http-errors.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { ctxFor, realmOfSecret } from '#requests';
import { findByToken, type SetupLinkRow } from './setup-links.ts';
import { ctxOf, linkOfVisit, type OpenLink, requireOpen } from './visits.ts';

export const BASE = '/setup';

/** The state between two pages; kept by the browser, encrypted. */
const Step = Type.Object({
  fault: Type.Optional(StepFault),
  /** What exactly is wrong with the form, in English as at the API. */
  detail: Type.Optional(Type.String()),
  notice: Type.Optional(Type.Enum(['saved', 'sent', 'checked'])),
  /** A SCIM token, until it is shown. */
  issued: Type.Optional(Type.String()),
  /** The last test sign-in of this browser. */
  test: Type.Optional(Type.Object({ connectionId: IdSchema('con'), id: IdSchema('tsi') })),
});
type Step = Static<typeof Step>;

/** A person who works with a set-up link. */
export type Visit = BrowserVisit<Step> &
  OpenLink & {
    ctx: Ctx;
    /** Each form sends it: a page of another site cannot know it. */
    formKey: string;
    framedBy: string | null;
  };

const FAULTS: Readonly<Record<string, TextId>> = {
  ALREADY_EXISTS: 'setup.fault.exists',
  AUTHORIZATION_DENIED: 'setup.fault.denied',
  CONFLICT: 'setup.fault.conflict',
  DOMAIN_NOT_VERIFIED: 'setup.fault.record',
  NOT_FOUND: 'fault.gone',
  RATE_LIMIT_EXCEEDED: 'fault.later',
  SERVICE_UNAVAILABLE: 'fault.unavailable',
};

const flow = browserFlow({ purpose: 'setup-step', parse: (value): Step => Value.Parse(Step, value), faults: FAULTS });
export const { goTo, keepStep, faultOf } = flow;

/** Redirects to a page that shows the fault, with the first message about the form. */
export function explain(visit: Visit, page: string, error: unknown): Reply {
  const detail = error instanceof Problem ? messageIn(error) : undefined;
  const { detail: _earlier, ...step } = visit.step;
  return flow.explain({ ...visit, step: { ...step, ...(detail !== undefined && { detail }) } }, page, error);
}

function messageIn({ code, message, extensions }: Problem): string | undefined {
  if (code === 'DOMAIN_NOT_VERIFIED') return message.slice(0, 500);
  const [first]: { message?: unknown }[] = Array.isArray(extensions['errors']) ? extensions['errors'] : [];
  return typeof first?.message === 'string' ? first.message.slice(0, 300) : undefined;
}

/** Sends a page. What the step says once is dropped. */
export function send(visit: Visit, page: Parameters<typeof flow.show>[1]): Reply {
  const { detail: _, ...step } = visit.step;
  return flow.show({ ...visit, step }, { ...page, framedBy: visit.framedBy });
}

function cookieOf(request: Request): string {
  return cookieName(request.address, request.server.host.environment, 'setup');
}

/** Puts the secret of a visit into the browser, as a session cookie of this host alone. */
export function keepVisit(request: Request, reply: Reply, { token, framed }: { token: string; framed: boolean }): void {
  // Lax: the pages are opened from a mail, and come back from an identity provider.
  const options = framed ? framedCookieOptions(request.address) : cookieOptions(request.address, 'lax');
  reply.setCookie(cookieOf(request), token, options);
}

export function dropVisit({ request, reply, framedBy }: Pick<Visit, 'request' | 'reply' | 'framedBy'>): void {
  const options = framedBy ? framedCookieOptions(request.address) : cookieOptions(request.address, 'lax');
  reply.clearCookie(cookieOf(request), options);
}

export function tokenOf(request: Request): string | undefined {
  return request.cookies[cookieOf(request)];
}

/**
 * The visit of the browser that sends a request. Everything that a link needs is checked again.
 * @throws Problem INVALID_TOKEN without a visit, and when the link has ended
 */
export async function visitOf(request: Request, reply: Reply): Promise<Visit> {
  const token = tokenOf(request);
  if (token === undefined) throw problem('INVALID_TOKEN');
  const link = await linkOfVisit(await realmOfSecret(request, token), token);
  if (!link) throw problem('INVALID_TOKEN');
  const found = contextOf(request, link);
  const open = await requireOpen(found, link);
  const framedBy = await framedByOf(found, link);
  const place = { base: BASE, owner: link.id, cookie: ['setup-step', null], framed: framedBy !== null } as const;
  return {
    ...open,
    request,
    reply,
    place,
    ctx: ctxOf(found, link),
    voice: await voiceFor(found, link),
    step: flow.readStep(request, place),
    formKey: hash('sha256', `form of ${token}`, 'base64url'),
    framedBy,
  };
}

/**
 * The link that an address names, in the context of its project.
 * @throws Problem INVALID_TOKEN
 */
export async function linkAt(request: Request, token: string): Promise<{ ctx: Ctx; link: SetupLinkRow }> {
  const realm = await realmOfSecret(request, token);
  const link = await findByToken(realm, token);
  if (!link) throw problem('INVALID_TOKEN');
  return { ctx: contextOf(request, link), link };
}

/** @throws Problem CONTEXT_NOT_ALLOWED at the address of another project */
function contextOf(request: Request, { workspace_id, project_id, environment }: SetupLinkRow): Ctx {
  return ctxFor(request, { workspaceId: workspace_id, projectId: project_id, environment });
}

/** The origin that may show the pages of a link in a frame: while an application of the project has it. */
export async function framedByOf(ctx: Ctx, { frame_origin: origin }: SetupLinkRow): Promise<string | null> {
  return origin !== null && (await ownOriginsOf(ctx)).includes(origin) ? origin : null;
}

export function voiceFor({ system, scope, trace }: Ctx, { locale }: SetupLinkRow): Promise<Voice> {
  return voiceOf({ system, in: { scope, organizationId: null }, languages: locale ?? trace.languages });
}

/** Says that a link has ended or that this browser has not opened it. Rethrows what is no refusal. */
export async function closedPage(request: Request, reply: Reply, error: unknown): Promise<Reply> {
  const refusals = ['INVALID_TOKEN', 'CONTEXT_NOT_ALLOWED', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'];
  if (!(error instanceof Problem) || !refusals.includes(error.code)) throw error;
  noteProblem(request.trace, error);
  const { system } = request.server;
  const { scope } = request.address;
  const place = scope && { scope, organizationId: null };
  const voice = await voiceOf({ system, in: place, languages: request.trace.languages });
  const { say } = voice;
  const text = error.code === 'RATE_LIMIT_EXCEEDED' ? say('setup.closedLater') : say('setup.closedText');
  const { document, headers } = renderPage(voice, { title: say('setup.closedTitle'), body: html`<p>${text}</p>` });
  return reply
    .code(error.code === 'RATE_LIMIT_EXCEEDED' ? 429 : 400)
    .headers(headers)
    .serializer(String)
    .send(document);
}

/** A form of the visit. */
export function form({ formKey }: Pick<Visit, 'formKey'>, page: string, content: Markup): Markup {
  return html`<form method="post" action="${BASE}${page}"><input type="hidden" name="formKey" value="${formKey}">${content}</form>`;
}

/** The digest of what a form shows; a change of something else in the meantime is refused. */
export function digestOf(shown: unknown): string {
  return hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 22);
}

/** @throws Problem CONFLICT if a record is no longer what the form showed */
export function requireSeen(seen: string, current: unknown): void {
  if (seen !== digestOf(current)) throw problem('CONFLICT');
}

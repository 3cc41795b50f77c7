import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { authAddressOf } from '#domains';
import { challengeOf } from '#exchange';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { CustomerActor } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { IdSchema, type SessionId } from '#platform/ids.ts';
import { randomSecret } from '#platform/keyring.ts';
import { problem } from '#platform/problem.ts';
import { pathOn } from './addresses.ts';
import { memberIn } from './members-only.ts';
import { type PageCtx, type PageKey, type StatusPage, scopeOf } from './pages.ts';

/** What a browser keeps while its person signs in: the secret to which the code is bound, and the page they wanted. */
const Step = Type.Object({ verifier: Type.String(), back: Type.String() });
const Visitor = Type.Object({ sessionId: IdSchema('ses') });
const STEP_SECONDS = 3_600;
/** A longer address does not fit into a cookie. */
const MAX_BACK = 1_000;

type Kind = 'step' | 'visitor';

/** The address of the host of a page, where its cookies are: its domain, or that of all pages. */
function siteOf({ server: { system }, address }: Request): { url: string } {
  return { url: address.scope === null ? system.config.addresses.status : address.url };
}

/** Cookies of a page have its address in their name: on https, all cookies of a host have the same path. */
function cookieOf(request: Request, { slug }: StatusPage, kind: Kind): string {
  return cookieName(siteOf(request), 'status', kind, slug);
}

function readCookie(request: Request, page: StatusPage, kind: Kind): unknown {
  const sealed = request.cookies[cookieOf(request, page, kind)];
  if (sealed === undefined) return null;
  try {
    return JSON.parse(request.server.system.keyring.open(sealed, `status-${kind}`, page.key));
  } catch {
    // Of another page, altered, or sealed with a retired key: the person signs in again.
    return null;
  }
}

type Exchange = { request: Request; reply: Reply; page: StatusPage };

function keepCookie({ request, reply, page }: Exchange, kind: Kind, value: object, maxAge?: number): void {
  const sealed = request.server.system.keyring.seal(JSON.stringify(value), `status-${kind}`, page.key);
  const options = cookieOptions(siteOf(request), 'lax');
  reply.setCookie(cookieOf(request, page, kind), sealed, { ...options, ...(maxAge !== undefined && { maxAge }) });
}

/** A context of a visitor of a page, in its project: of a member on a page for members, otherwise of nobody known. */
export async function visitorCtx(request: Request, page: StatusPage): Promise<PageCtx> {
  const ctx = await anonymousOn(request, page);
  const member = await memberOn(request, page);
  return member ? { ...ctx, actor: member } : ctx;
}

/** @throws Problem SERVICE_UNAVAILABLE while there is no project */
export async function anonymousOn(request: Request, page: StatusPage): Promise<PageCtx> {
  const { system } = request.server;
  const scope = await scopeOf(system, page);
  if (!scope) throw problem('SERVICE_UNAVAILABLE', 'No project exists yet.');
  const { db, clock } = system;
  return { system, db, scope, actor: { kind: 'anonymous' }, trace: request.trace, now: clock.now(), page };
}

/**
 * The member who visits a page for members. Their sign-in is looked up for each request, so its end counts at once.
 * @throws Problem ORIGIN_NOT_ALLOWED for a form of another site
 */
function memberOn(request: Request, page: StatusPage): Promise<CustomerActor | null> {
  const ofRequest = members.get(request) ?? new Map<PageKey, Promise<CustomerActor | null>>();
  members.set(request, ofRequest);
  const known = ofRequest.get(page.key) ?? findMember(request, page);
  ofRequest.set(page.key, known);
  return known;
}

/** Looked up once for each request: its route, its page and what it shows all ask. */
const members = new WeakMap<Request, Map<PageKey, Promise<CustomerActor | null>>>();

async function findMember(request: Request, page: StatusPage): Promise<CustomerActor | null> {
  if (page.audience === 'public') return null;
  const visitor = readCookie(request, page, 'visitor');
  if (!Value.Check(Visitor, visitor)) return null;
  if (request.method !== 'GET')
    requireOwnPage({ headers: request.headers, address: { ...request.address, ...siteOf(request) } });
  return memberIn(await anonymousOn(request, page), visitor.sessionId);
}

/** True if a page answers this visitor. */
export async function isAdmitted(request: Request, page: StatusPage): Promise<boolean> {
  return page.audience === 'public' || (await memberOn(request, page)) !== null;
}

/** Sends a visitor to the project's sign-in, and from there back to the page that they wanted. */
export async function toSignIn({ request, reply, page }: Exchange): Promise<Reply> {
  const { system } = request.server;
  const site = siteOf(request).url;
  const home = pathOn(page, '/status');
  const back = request.method === 'GET' && request.url.length <= MAX_BACK ? request.url : home;
  // The cookies of one host are not those of another that serves the same pages.
  if (request.host !== new URL(site).host) return reply.redirect(`${site}${back}`, 303);
  const known = readCookie(request, page, 'step');
  // Two pages that are opened at once share the secret, so both sign-ins succeed.
  const verifier = Value.Check(Step, known) ? known.verifier : randomSecret();
  keepCookie({ request, reply, page }, 'step', { verifier, back }, STEP_SECONDS);
  const { scope } = await anonymousOn(request, page);
  const auth = await authAddressOf({ system, scope });
  const place = page.domain === null ? '' : `/${new URL(page.domain).hostname}`;
  return reply.redirect(`${auth}/account/status/${page.slug}/${challengeOf(verifier)}${place}`, 303);
}

/**
 * The secret and the page of a sign-in that this browser began, which ends now.
 * @throws Problem INVALID_TOKEN for another browser
 */
export function endStep({ request, reply, page }: Exchange): { challenge: string; back: string } {
  const step = readCookie(request, page, 'step');
  if (!Value.Check(Step, step)) throw problem('INVALID_TOKEN', 'The sign-in began in another browser, or is over.');
  reply.clearCookie(cookieOf(request, page, 'step'), cookieOptions(siteOf(request), 'lax'));
  return { challenge: challengeOf(step.verifier), back: step.back };
}

/** Lets the browser visit a page for as long as the session lives. */
export function letIn(exchange: Exchange, sessionId: SessionId): void {
  keepCookie(exchange, 'visitor', { sessionId });
}

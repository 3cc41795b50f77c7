import * as client from 'openid-client';
import { type Change, type Cookies, cookiesOf, nameOf, SessionTooLarge, seal, setCookieOf, unseal } from './cookies.ts';
import { end } from './ended.ts';
import { InvalidLogoutToken } from './logout-token.ts';
import type { Checks, Provider } from './provider.ts';
import { changesFor, readSession } from './session.ts';
import { addressWithin, type Settings } from './settings.ts';

/** How long a person may take to sign in. */
const SIGN_IN_SECONDS = 3_600;
/** Sign-ins that wait in the tabs of one browser. */
const MAX_SIGN_INS = 4;

type Begun = { checks: Checks; returnTo: string };
type Of = { settings: Settings; provider: Provider; request: Request; url: URL; cookies: Cookies };

/** This browser did not begin the sign-in, or finished it before. */
class UnknownSignIn extends Error {}

/** The routes `sign-in`, `sign-up`, `callback`, `sign-out` and `backchannel-logout`. */
export async function route(settings: Settings, provider: Provider, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const of = { settings, provider, request, url, cookies: cookiesOf(request.headers.get('cookie')) };
  const action = `${request.method} ${url.pathname.split('/').at(-1)}`;
  if (action === 'GET sign-in') return begin(of);
  if (action === 'GET sign-up') return begin(of, 'create');
  if (action === 'GET callback') return finish(of);
  if (action === 'POST sign-out') return signOut(of);
  if (action === 'POST backchannel-logout') return endSession(of);
  return new Response('Not found', { status: 404 });
}

function leave(settings: Settings, to: string | URL, changes: readonly Change[] = []): Response {
  const headers = new Headers({ location: String(to), 'cache-control': 'no-store' });
  for (const change of changes) headers.append('set-cookie', setCookieOf(settings, change));
  return new Response(null, { status: 303, headers });
}

const prefixOf = (settings: Settings): string => nameOf(settings, 'latchkey-sign-in.');

/** Each tab has a sign-in of its own. */
const cookieOf = (settings: Settings, state: string): string => prefixOf(settings) + state.slice(0, 12);

async function begin({ settings, provider, request, url, cookies }: Of, prompt?: string): Promise<Response> {
  // The router of Next.js and `<Link>` fetch what they may show; only a visit begins a sign-in.
  if ((request.headers.get('sec-fetch-mode') ?? 'navigate') !== 'navigate')
    return new Response('Open this address in the browser.', { status: 401, headers: { 'cache-control': 'no-store' } });
  try {
    const { url: target, checks } = await provider.begin(prompt);
    const begun: Begun = { checks, returnTo: addressWithin(settings, url.searchParams.get('returnTo')) };
    const value = await seal(settings, 'sign-in', begun, SIGN_IN_SECONDS);
    const waiting = [...cookies.keys()].filter((name) => name.startsWith(prefixOf(settings)));
    const removed = waiting.length < MAX_SIGN_INS ? [] : waiting.map((name) => gone(name));
    return leave(settings, target, [
      ...removed,
      { name: cookieOf(settings, checks.expectedState), value, maxAge: SIGN_IN_SECONDS },
    ]);
  } catch (error) {
    return failed(settings, error);
  }
}

const gone = (name: string): Change => ({ name, value: null, maxAge: 0 });

async function finish({ settings, provider, url, cookies }: Of): Promise<Response> {
  const name = cookieOf(settings, url.searchParams.get('state') ?? '');
  const begun = await unseal<Begun>(settings, 'sign-in', cookies.get(name) ?? '');
  if (!begun) {
    // Somebody who goes back in the history is still signed in.
    if (await readSession(settings, cookies)) return leave(settings, addressWithin(settings, null));
    return failed(settings, new UnknownSignIn());
  }
  try {
    const session = await provider.finish(url.search, begun.checks);
    return leave(settings, begun.returnTo, [...(await changesFor(settings, cookies, session)), gone(name)]);
  } catch (error) {
    return failed(settings, error, [gone(name)]);
  }
}

/** The session here ends at once, and the one at Latchkey with it. */
async function signOut({ settings, provider, request, cookies }: Of): Promise<Response> {
  if (!isFromHere(settings, request)) return new Response('Not from this application', { status: 403 });
  const session = await readSession(settings, cookies);
  const changes = await changesFor(settings, cookies, null);
  try {
    return leave(settings, await provider.endUrl(session), changes);
  } catch (error) {
    return failed(settings, error, changes);
  }
}

/** More than any logout token has. */
const MAX_BODY_BYTES = 16_384;

/** @throws InvalidLogoutToken for a body that is too large */
async function readText({ body }: Request): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  for (let size = 0; ; ) {
    // biome-ignore lint/performance/noAwaitInLoops: one chunk after the other
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return text + decoder.decode();
    size += value?.byteLength ?? 0;
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel();
      throw new InvalidLogoutToken('The body is too large.');
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Latchkey says that it has ended a session (OpenID Connect Back-Channel Logout 1.0 §2.5). It tries again unless the status is 2xx. */
async function endSession({ settings, provider, request }: Of): Promise<Response> {
  const headers = { 'cache-control': 'no-store' };
  try {
    const token = new URLSearchParams(await readText(request)).get('logout_token') ?? '';
    if (await end(settings.endedSessions, await provider.logout(token))) return new Response(null, { headers });
    return Response.json({ error: 'invalid_request' }, { status: 400, headers });
  } catch (error) {
    if (error instanceof InvalidLogoutToken)
      return Response.json({ error: 'invalid_request' }, { status: 400, headers });
    console.error('A session could not be ended:', error);
    return new Response(null, { status: 503, headers });
  }
}

/** A page of another site must not sign people out. */
function isFromHere({ origin }: Settings, { headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  return site === null ? headers.get('origin') === origin : site === 'same-origin';
}

function failed(settings: Settings, error: unknown, changes: readonly Change[] = []): Response {
  const code = codeOf(error);
  if (code === 'sign_in_failed') console.error('The sign-in failed:', error);
  const target = new URL(settings.errorPath, settings.origin);
  target.searchParams.set('error', code);
  return leave(settings, target, changes);
}

/** The error of OAuth that Latchkey returned to the browser, such as `access_denied`, or one of this package. */
function codeOf(error: unknown): string {
  if (error instanceof SessionTooLarge) return 'session_too_large';
  if (error instanceof UnknownSignIn) return 'unknown_sign_in';
  return error instanceof client.AuthorizationResponseError ? error.error : 'sign_in_failed';
}

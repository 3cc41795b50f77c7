import { problemOf } from './problem.ts';

/** Why the person has to sign in again before a request can continue. */
export type SignInReason = 'expired' | 'step-up';

type SignInAgain = (reason: SignInReason) => Promise<boolean>;

let csrfToken = '';
let signInAgain: SignInAgain = () => Promise.resolve(false);
const etags = new Map<string, string>();

/** The CSRF token of the session, required for every change. */
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

/** The headers for a change that is not sent by {@link carry}. */
export const csrfHeader = (): [name: string, value: string] => ['X-CSRF-Token', csrfToken];

/** Asks the person to sign in again. @returns whether they did */
export const askToSignIn = (reason: SignInReason): Promise<boolean> => signInAgain(reason);

/** Registers the function that asks the person to sign in again. It resolves to whether they did. */
export function onSignInNeeded(ask: SignInAgain): void {
  signInAgain = ask;
}

/**
 * The version of the record that was read last, for `If-Match`.
 * @param scope the scope headers, because the settings of both environments have the same path
 */
export function etagOf(scope: Record<string, string>, path: string): string | undefined {
  return etags.get(keyOf(new Headers(scope), path));
}

function keyOf(headers: Headers, path: string): string {
  return [...['X-Workspace-Id', 'X-Project-Id', 'X-Environment'].map((name) => headers.get(name)), path].join(' ');
}

/**
 * `fetch` for the console API. If the session has ended, the request waits until the person has signed in again and is then
 * repeated, so that no input is lost. If the request also needs a step-up, the person is asked once more.
 */
export function carry(request: Request): Promise<Response> {
  return carryAfter(request, []);
}

/** @param asked the reasons for which the person was already asked during this request */
async function carryAfter(request: Request, asked: readonly SignInReason[]): Promise<Response> {
  const repeated = request.clone();
  const response = await send(request);
  if (response.status !== 401 || request.url.endsWith('/console/v1/session')) return response;
  const { errorCode } = problemOf(await response.clone().json());
  const reason = errorCode === 'REAUTHENTICATION_REQUIRED' ? 'step-up' : 'expired';
  if (asked.includes(reason)) return response;
  return (await signInAgain(reason)) ? carryAfter(repeated, [...asked, reason]) : response;
}

async function send(request: Request): Promise<Response> {
  if (request.method !== 'GET') request.headers.set(...csrfHeader());
  // `randomUUID` exists in secure contexts only. Without a key, a repeated request is processed twice.
  if (request.method === 'POST' && 'randomUUID' in crypto && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', crypto.randomUUID());
  const response = await fetch(request);
  const etag = response.headers.get('etag');
  if (etag && response.ok) etags.set(keyOf(request.headers, new URL(request.url).pathname), etag);
  return response;
}

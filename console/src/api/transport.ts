import { problemOf } from './problem.ts';

/** Why the person has to sign in again before a call can go on. */
export type SignInReason = 'expired' | 'step-up';

type SignInAgain = (reason: SignInReason) => Promise<boolean>;

let csrfToken = '';
let signInAgain: SignInAgain = () => Promise.resolve(false);
const etags = new Map<string, string>();

/** Every change carries it; the server made it with the session. */
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

/** What a change carries that is not sent by {@link carry}. */
export const csrfHeader = (): [name: string, value: string] => ['X-CSRF-Token', csrfToken];

/** Asks the person to sign in again. @returns whether they did */
export const askToSignIn = (reason: SignInReason): Promise<boolean> => signInAgain(reason);

/** Says who asks the person to sign in again. The answer tells whether they did. */
export function onSignInNeeded(ask: SignInAgain): void {
  signInAgain = ask;
}

/**
 * The version of a record that was last read, for `If-Match`.
 * @param scope the headers of the call: the settings of each environment have the same path
 */
export function etagOf(scope: Record<string, string>, path: string): string | undefined {
  return etags.get(keyOf(new Headers(scope), path));
}

function keyOf(headers: Headers, path: string): string {
  return [...['X-Workspace-Id', 'X-Project-Id', 'X-Environment'].map((name) => headers.get(name)), path].join(' ');
}

/**
 * `fetch` for the console API. A call that meets an ended session waits until the person has signed in again and is then
 * repeated, so that nothing typed is lost. The new session may still be too old a proof for the call: then it asks once more.
 */
export function carry(request: Request): Promise<Response> {
  return carryAfter(request, []);
}

/** @param asked what the person was asked for this call already */
async function carryAfter(request: Request, asked: readonly SignInReason[]): Promise<Response> {
  const repeated = request.clone();
  const answer = await send(request);
  if (answer.status !== 401 || request.url.endsWith('/console/v1/session')) return answer;
  const { errorCode } = problemOf(await answer.clone().json());
  const reason = errorCode === 'REAUTHENTICATION_REQUIRED' ? 'step-up' : 'expired';
  if (asked.includes(reason)) return answer;
  return (await signInAgain(reason)) ? carryAfter(repeated, [...asked, reason]) : answer;
}

async function send(request: Request): Promise<Response> {
  if (request.method !== 'GET') request.headers.set(...csrfHeader());
  // Only secure addresses have it; without a key a repeated call is simply a second call.
  if (request.method === 'POST' && 'randomUUID' in crypto && !request.headers.has('Idempotency-Key'))
    request.headers.set('Idempotency-Key', crypto.randomUUID());
  const answer = await fetch(request);
  const etag = answer.headers.get('etag');
  if (etag && answer.ok) etags.set(keyOf(request.headers, new URL(request.url).pathname), etag);
  return answer;
}

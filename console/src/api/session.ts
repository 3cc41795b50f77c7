import { useSyncExternalStore } from 'react';
import { anywhere } from './client.ts';
import { problemOf } from './problem.ts';
import type { paths as Paths } from './schema.ts';
import { askToSignIn, keepCsrfToken } from './transport.ts';

export type Session = Paths['/console/v1/session']['get']['responses'][200]['content']['application/json'];

let session: Session | null = null;
const listeners = new Set<() => void>();

/** Reads the session. @returns null if nobody is signed in @throws Problem for any other error */
export async function loadSession(): Promise<Session | null> {
  const { data, error } = await anywhere.GET('/console/v1/session', { params: {} });
  if (!data && problemOf(error).status !== 401) throw error;
  session = data ?? null;
  if (session) keepCsrfToken(session.csrfToken);
  for (const listener of listeners) listener();
  return session;
}

/** The session. It is loaded before a screen is shown. */
export function knownSession(): Session | null {
  return session;
}

/** The signed-in operator. @throws Error on screens without a session */
export function useSession(): Session {
  const known = useSyncExternalStore(listen, knownSession);
  if (!known) throw new Error('Nobody is signed in.');
  return known;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Time to choose a file or confirm a dialog between the check and the request, in seconds. */
const MARGIN = 60;

/**
 * Call before a request that is not retried automatically, such as a large upload or a download. Makes sure that the session is
 * valid and, for a step-up request, that the last sign-in is recent enough.
 * @returns false if the person did not sign in again
 */
export async function signedInFor(call: 'dangerous' | 'usual'): Promise<boolean> {
  const { data, error } = await anywhere.GET('/console/v1/session', { params: {} });
  if (!data && problemOf(error).status !== 401) throw error;
  if (!data) return askToSignIn('expired');
  return call === 'usual' || data.stepUpSeconds > MARGIN || askToSignIn('step-up');
}

/** The address of the sign-in, which returns to a path of the console. */
export function signInAddress(returnTo: string, stepUp = false): string {
  const query = new URLSearchParams({ returnTo, ...(stepUp && { stepUp: 'true' }) });
  return `/console/v1/sign-in?${query}`;
}

/** The address of another sign-in of the same operator, for the window that closes afterwards. */
export function signInAgainAddress(stepUp: boolean): string {
  const loginHint = knownSession()?.operator.email;
  return `${signInAddress('/console/signed-in', stepUp)}${loginHint ? `&${new URLSearchParams({ loginHint })}` : ''}`;
}

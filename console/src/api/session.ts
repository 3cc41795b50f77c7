import { useSyncExternalStore } from 'react';
import { anywhere } from './client.ts';
import { problemOf } from './problem.ts';
import type { paths as Paths } from './schema.ts';
import { askToSignIn, keepCsrfToken } from './transport.ts';

export type Session = Paths['/console/v1/session']['get']['responses'][200]['content']['application/json'];

let session: Session | null = null;
const listeners = new Set<() => void>();

/** Reads who is signed in. @throws what the API answered, unless it is that nobody is: then null */
export async function loadSession(): Promise<Session | null> {
  const { data, error } = await anywhere.GET('/console/v1/session', { params: {} });
  if (!data && problemOf(error).status !== 401) throw error;
  session = data ?? null;
  if (session) keepCsrfToken(session.csrfToken);
  for (const listener of listeners) listener();
  return session;
}

/** The session, already read when a screen shows. */
export function knownSession(): Session | null {
  return session;
}

/** Who is signed in. @throws Error outside the screens of a signed-in operator */
export function useSession(): Session {
  const known = useSyncExternalStore(listen, knownSession);
  if (!known) throw new Error('Nobody is signed in.');
  return known;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Room for what has to be found and clicked between the question and the call, in seconds. */
const MARGIN = 60;

/**
 * Before a call that is not repeated by itself, such as a large upload or a download: sees to it that the session lives and, for a
 * dangerous call, that the person has just proven who they are.
 * @returns false when they did not sign in again
 */
export async function signedInFor(call: 'dangerous' | 'usual'): Promise<boolean> {
  const { data, error } = await anywhere.GET('/console/v1/session', { params: {} });
  if (!data && problemOf(error).status !== 401) throw error;
  if (!data) return askToSignIn('expired');
  return call === 'usual' || data.stepUpSeconds > MARGIN || askToSignIn('step-up');
}

/** Where the browser signs in, to come back to a path of the console. */
export function signInAddress(returnTo: string, stepUp = false): string {
  const query = new URLSearchParams({ returnTo, ...(stepUp && { stepUp: 'true' }) });
  return `/console/v1/sign-in?${query}`;
}

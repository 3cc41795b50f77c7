import { useSyncExternalStore } from 'react';
import { anywhere } from './client.ts';
import { problemOf } from './problem.ts';
import type { paths as Paths } from './schema.ts';
import { keepCsrfToken } from './transport.ts';

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

/** Where the browser signs in, to come back to a path of the console. */
export function signInAddress(returnTo: string, stepUp = false): string {
  const query = new URLSearchParams({ returnTo, ...(stepUp && { stepUp: 'true' }) });
  return `/console/v1/sign-in?${query}`;
}

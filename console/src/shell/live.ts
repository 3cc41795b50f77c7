import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { headersOf, type Scope } from '#api/client.ts';
import { useCan, useScope } from '#api/scope.tsx';
import { isLive } from './live-lists.ts';

const WAIT_SECONDS = 20;
/** Many events in a row reload a list once. */
const GATHER_MS = 2_000;
/** How often lists are reloaded where events cannot be read. */
const BLIND_MS = 30_000;
/** After this time without input nothing is asked, so that a session that nobody uses ends. */
const AWAY_MS = 5 * 60_000;

/** Reloads the lists of the open project environment when something happens there. */
export function LiveLists(): null {
  const queries = useQueryClient();
  const scope = useScope();
  const canFollow = useCan('events:read');
  useEffect(() => {
    const stop = new AbortController();
    const reload = () => queries.invalidateQueries({ predicate: ({ queryKey }) => isLive(queryKey) });
    follow({ scope, canFollow, reload, signal: stop.signal }).catch(() => undefined);
    return () => stop.abort();
  }, [queries, scope, canFollow]);
  return null;
}

type Following = { scope: Scope; canFollow: boolean; reload: () => Promise<void>; signal: AbortSignal };

async function follow({ scope, canFollow, reload, signal }: Following): Promise<void> {
  let after: number | null = null;
  await pause(GATHER_MS, signal);
  while (!signal.aborted) {
    // biome-ignore lint/performance/noAwaitInLoops: one question after the other
    if (await wasAway(signal)) after = null;
    const read: Feed | 'refused' | 'failed' = canFollow ? await readFeed(scope, after, signal) : 'failed';
    if (read === 'refused' || read === 'failed') {
      await pause(BLIND_MS, signal);
      after = null;
      if (read === 'failed') await reload();
    } else if (after === null) {
      // The lists are read after this position, so they show everything before it.
      after = read.nextAfter;
      await reload();
    } else if (read.items.length > 0) {
      await pause(GATHER_MS, signal);
      after = null;
    }
  }
}

type Feed = { items: readonly unknown[]; nextAfter: number };

/**
 * @param after null: what is to come
 * @returns `refused`: the session is over, or lost the right to read events
 */
async function readFeed(scope: Scope, after: number | null, signal: AbortSignal): Promise<Feed | 'refused' | 'failed'> {
  const query = new URLSearchParams(
    after === null ? { after: 'latest', limit: '1' } : { after: String(after), limit: '1', wait: String(WAIT_SECONDS) },
  );
  try {
    // Without the client of the screens, which would ask people to sign in because of a request that they did not make.
    const response = await fetch(`/console/v1/events?${query}`, { headers: headersOf(scope), signal });
    if (response.status === 401 || response.status === 403) return 'refused';
    return response.ok ? await response.json() : 'failed';
  } catch {
    return 'failed';
  }
}

let lastInput = Date.now();
const noteInput = () => {
  lastInput = Date.now();
};
for (const name of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'focus'])
  window.addEventListener(name, noteInput, { passive: true, capture: true });

const isHere = (): boolean => document.visibilityState === 'visible' && Date.now() - lastInput < AWAY_MS;

/** Waits until the screen is seen and used. @returns whether it was not */
async function wasAway(signal: AbortSignal): Promise<boolean> {
  if (isHere()) return false;
  while (!isHere() && !signal.aborted) {
    // biome-ignore lint/performance/noAwaitInLoops: until the person is back
    await pause(1_000, signal);
  }
  return true;
}

/** Ends early when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  });
}

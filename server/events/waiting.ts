import type { Scope } from '#platform/ctx.ts';
import { announceStatement, type Statement } from '#platform/feed.ts';
import { perSystem, type System } from '#platform/system.ts';

const TOPIC = 'events';
/** The polling interval of waiting readers while the change feed is down. */
const FEED_DOWN_POLL_MS = 1_000;

function keyOf({ workspaceId, projectId, environment }: Scope): string {
  return `${workspaceId}/${projectId}/${environment}`;
}

/** Tells every process which scopes have newly numbered events, when the transaction commits. */
export function announceNumbered(events: readonly Scope[]): Statement {
  return announceStatement(TOPIC, [...new Set(events.map(keyOf))]);
}

/** The readers in this process that wait for events of a scope. */
class Waiting {
  readonly #system: System;
  readonly #callbacks = new Map<string, Set<() => void>>();

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: async () => this.wakeAll(),
        onChange: ({ topic, key }) => {
          if (topic === TOPIC) this.#wake(key);
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'events waited for'));
  }

  /** Registers before the reader reads, so that no event is missed between reading and waiting. */
  enter(scope: Scope): { news: Promise<void>; leave: () => void } {
    const key = keyOf(scope);
    const waiting = this.#callbacks.get(key) ?? new Set();
    this.#callbacks.set(key, waiting);
    const { promise, resolve } = Promise.withResolvers<void>();
    const looking = setInterval(() => {
      if (!this.#system.feed.live) resolve();
    }, FEED_DOWN_POLL_MS);
    waiting.add(resolve);
    return {
      news: promise,
      leave: () => {
        clearInterval(looking);
        waiting.delete(resolve);
        if (waiting.size === 0) this.#callbacks.delete(key);
      },
    };
  }

  wakeAll(): void {
    for (const key of this.#callbacks.keys()) this.#wake(key);
  }

  #wake(key: string): void {
    for (const callback of this.#callbacks.get(key) ?? []) callback();
  }
}

const waitingIn = perSystem((system) => new Waiting(system));

/**
 * Calls `look` until it finds something; repeats it whenever events of the scope were numbered.
 * @param look returns null while there is nothing
 * @param options `seconds`: the timeout; `signal`: ends the wait early
 * @returns the result of `look`, or null
 */
export async function waitForEvents<T>(
  { system, scope }: { system: System; scope: Scope },
  look: () => Promise<T | null>,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<T | null> {
  const ended = Promise.withResolvers<'ended'>();
  const timer = setTimeout(() => ended.resolve('ended'), seconds * 1000);
  const end = () => ended.resolve('ended');
  signal.addEventListener('abort', end);
  try {
    for (;;) {
      const { news, leave } = waitingIn(system).enter(scope);
      try {
        // biome-ignore lint/performance/noAwaitInLoops: polls again on news
        const found = await look();
        if (found !== null || signal.aborted) return found;
        if ((await Promise.race([news, ended.promise])) === 'ended') return null;
      } finally {
        leave();
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

import type { Change } from './feed.ts';
import { perSystem, type System, type SystemInTx } from './system.ts';

type FeedCache<Wanted, Value> = {
  (system: SystemInTx, wanted: Wanted): Value | Promise<Value>;
  /** The value of a key if it is cached now. */
  known: (system: SystemInTx, key: string) => Value | undefined;
};

/**
 * A cache that the change feed invalidates. While the feed is down, it is bypassed.
 * @param cache `topics`: the changes that invalidate it; `drops`: whether a change invalidates a key (default: every
 * change of the topics does); `load`: reads over the system's `lookups`, so a transaction may wait for it; `undefined`
 * is not cached; `max`: the number of entries, beyond which the oldest is evicted
 */
export function feedCache<Wanted, Value>(cache: {
  topics: readonly string[];
  drops?: (change: Change, key: string, value: Value) => boolean;
  keyOf: (wanted: Wanted) => string;
  load: (system: System, wanted: Wanted) => Promise<Value>;
  max: number;
}): FeedCache<Wanted, Value> {
  const { topics, drops = () => true, keyOf, load, max } = cache;
  const caches = perSystem((system) => {
    const known = new Map<string, Value>();
    let generation = 0;
    const forget = (isDropped: (key: string, value: Value) => boolean) => {
      generation += 1;
      for (const [key, value] of known) if (isDropped(key, value)) known.delete(key);
    };
    system.feed
      .subscribe({
        replay: async () => forget(() => true),
        onChange: (change) => {
          if (topics.includes(change.topic)) forget((key, value) => drops(change, key, value));
        },
      })
      .catch((error: unknown) => system.log.error({ err: error, topics }, 'cache'));
    const read = async (key: string, wanted: Wanted) => {
      const before = generation;
      const value = await load(system, wanted);
      // A change during the read may be missing from the result, so it is not cached.
      if (value === undefined || before !== generation) return value;
      const oldest = known.size >= max ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      known.set(key, value);
      return value;
    };
    const knownOf = (key: string) => (system.feed.live ? known.get(key) : undefined);
    const get = (wanted: Wanted) => {
      const key = keyOf(wanted);
      const value = knownOf(key);
      return value === undefined ? read(key, wanted) : value;
    };
    return { get, knownOf };
  });
  const get = (system: SystemInTx, wanted: Wanted) => caches(system).get(wanted);
  return Object.assign(get, { known: (system: SystemInTx, key: string) => caches(system).knownOf(key) });
}

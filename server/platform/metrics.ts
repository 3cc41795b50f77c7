import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Role } from './config.ts';
import type { System, SystemInTx } from './system.ts';

/**
 * The labels of a metric. Each has the list of its values, or a text that describes them if they are many. Values never
 * come from a request, because each value is a time series of its own.
 */
type Labels = Readonly<Record<string, readonly string[] | string>>;
type Values<L extends Labels> = {
  readonly [Name in keyof L]: L[Name] extends readonly string[] ? L[Name][number] : string;
};
type Reading = number | null | readonly { labels: Readonly<Record<string, string>>; value: number }[];

type Description<L extends Labels> = {
  name: `latchkey_${string}`;
  help: string;
  labels?: L;
  /** The roles whose processes have the metric; all by default. */
  roles?: readonly Role[];
};

/** A metric that a part measures. `hosts/metrics.ts` collects them, and docs/monitoring.md lists them. */
export type Metric = Description<Labels> & {
  type: 'counter' | 'gauge' | 'histogram';
  /** Adds the metric to the registry of a process, before the first measurement. */
  register: (system: System) => void;
};

/** Counts what happens in this process. All combinations of its labels start at zero. */
export function counter<const L extends Labels>(description: Description<L>) {
  const inRegistry = perRegistry((registry) => {
    const made = new Counter({ ...optionsOf(description), registers: [registry] });
    for (const labels of combinations(description.labels ?? {})) made.inc(labels, 0);
    return made;
  });
  return {
    ...description,
    type: 'counter' as const,
    register: ({ metrics }: System) => {
      inRegistry(metrics);
    },
    count: ({ metrics }: Pick<SystemInTx, 'metrics'>, labels: Values<L>) => inRegistry(metrics).inc({ ...labels }),
  };
}

/** Durations in this process, in seconds. */
export function durations<const L extends Labels>({ buckets, ...description }: Description<L> & { buckets: number[] }) {
  const inRegistry = perRegistry(
    (registry) => new Histogram({ ...optionsOf(description), buckets, registers: [registry] }),
  );
  return {
    ...description,
    type: 'histogram' as const,
    register: ({ metrics }: System) => {
      inRegistry(metrics);
    },
    observe: ({ metrics }: Pick<SystemInTx, 'metrics'>, labels: Values<L>, seconds: number) =>
      inRegistry(metrics).observe({ ...labels }, seconds),
  };
}

/** How long a scrape waits for a reading. */
const READING_MS = 3_000;

/**
 * A value that is read at each scrape. A reading that fails, or takes longer than three seconds, is left out, because a
 * scrape must work while the database does not. A metric of the whole installation names the role `worker`, so that few
 * processes read it.
 * @param read returns null if there is no value
 */
export function gauge<const L extends Labels>({
  read,
  ...description
}: Description<L> & { read: (system: System) => Reading | Promise<Reading> }) {
  return {
    ...description,
    type: 'gauge' as const,
    register: (system: System) => {
      const reading = shared(async () => read(system));
      const made = new Gauge({
        ...optionsOf(description),
        registers: [system.metrics],
        collect: async () => {
          const found = await Promise.race([reading(system).catch(() => null), nothingAfter(READING_MS)]);
          // Without labels, `reset` sets zero, which would be a reading.
          if (description.labels === undefined) made.remove();
          else made.reset();
          if (typeof found === 'number') made.set(found);
          else for (const { labels, value } of found ?? []) made.set(labels, value);
        },
      });
    },
  };
}

/**
 * Shares a reading that is under way, so that several gauges of a scrape read a state once, and a reading that hangs is not
 * started again.
 */
export function shared<T>(read: (system: System) => Promise<T>): (system: System) => Promise<T> {
  const underWay = new WeakMap<System, Promise<T>>();
  return (system) => {
    const known = underWay.get(system);
    if (known !== undefined) return known;
    const reading = read(system).finally(() => underWay.delete(system));
    underWay.set(system, reading);
    return reading;
  };
}

function nothingAfter(milliseconds: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), milliseconds).unref();
  });
}

function optionsOf({ name, help, labels = {} }: Description<Labels>) {
  return { name, help, labelNames: Object.keys(labels) };
}

function perRegistry<T>(make: (registry: Registry) => T): (registry: Registry) => T {
  const made = new WeakMap<Registry, T>();
  return (registry) => {
    const known = made.get(registry);
    if (known !== undefined) return known;
    const fresh = make(registry);
    made.set(registry, fresh);
    return fresh;
  };
}

/** Every combination of the labels; none if the values of one are not known in advance. */
function combinations(labels: Labels): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if (typeof values === 'string') return [];
    all = all.flatMap((labelled) => values.map((value) => ({ ...labelled, [name]: value })));
  }
  return all;
}

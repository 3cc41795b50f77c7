import { Histogram } from 'prom-client';
import type { Metric } from './metrics.ts';
import { perSystem, type System } from './system.ts';

/** Upper bounds in milliseconds. */
const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

const DESCRIPTION = {
  name: 'latchkey_http_request_duration_seconds',
  help: 'How long requests took, from their headers to the end of the response.',
  labels: {
    host: ['auth', 'api', 'console'],
    environment: ['test', 'production', ''],
    route: 'the pattern of the path, such as `/v1/admin/members/:memberId`; empty if no route has it',
    status: 'the status code',
  },
} as const;

type Series = {
  labels: Record<'host' | 'environment' | 'route' | 'status', string>;
  counts: Float64Array;
  sum: number;
};

/** Every request is recorded, so `record` only adds to counters; `getForPromString` builds the series at a scrape. */
class RequestDurations extends Histogram {
  readonly #series = new Map<string, Series>();

  constructor({ metrics }: System) {
    super({ ...DESCRIPTION, labelNames: Object.keys(DESCRIPTION.labels), registers: [metrics] });
  }

  /**
   * Counts one request.
   * @param milliseconds from its headers to the end of its response
   */
  record(
    host: { kind: string; environment: string | null },
    route: string,
    status: number,
    milliseconds: number,
  ): void {
    const key = `${host.kind} ${host.environment} ${status} ${route}`;
    let series = this.#series.get(key);
    if (!series) {
      series = {
        labels: { host: host.kind, environment: host.environment ?? '', route, status: String(status) },
        counts: new Float64Array(BOUNDS.length + 1),
        sum: 0,
      };
      this.#series.set(key, series);
    }
    let bucket = 0;
    while (bucket < BOUNDS.length && milliseconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += milliseconds;
  }

  /** Called by the registry. Replaces the values of the base class, which `observe` would record. */
  async getForPromString() {
    const { name, help } = DESCRIPTION;
    return { name, help, type: 'histogram', aggregator: 'sum', values: [...this.#series.values()].flatMap(valuesOf) };
  }
}

function valuesOf({ labels, counts, sum }: Series) {
  const { name } = DESCRIPTION;
  let total = 0;
  const buckets = [...counts].map((count, index) => {
    total += count;
    const le = index < BOUNDS.length ? String((BOUNDS[index] ?? 0) / 1000) : '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum / 1000 },
    { metricName: `${name}_count`, labels, value: total },
  ];
}

export const requestDurations = perSystem((system) => new RequestDurations(system));

export const httpDurations: Metric = {
  ...DESCRIPTION,
  type: 'histogram',
  register: (system) => {
    requestDurations(system);
  },
};

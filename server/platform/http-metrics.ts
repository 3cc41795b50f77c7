import { Counter } from 'prom-client';
import { perSystem, type System } from './system.ts';

/** Upper bounds in milliseconds. */
const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
const NAME = 'latchkey_http_request_duration_seconds';

type Labels = { host: string; environment: string; route: string; status: string };
type Series = { labels: Labels; counts: Float64Array; sum: number };

/**
 * Durations of requests as a Prometheus histogram. Recording is cheap, because it happens on every request; the series
 * are built when they are scraped.
 */
class RequestDurations {
  readonly #series = new Map<string, Series>();

  constructor(system: System) {
    const registers = [system.metrics];
    const all = () => this.#series.values();
    new Counter({
      name: `${NAME}_bucket`,
      help: 'Requests that took no longer than `le` seconds.',
      labelNames: ['host', 'environment', 'route', 'status', 'le'],
      registers,
      collect() {
        this.reset();
        for (const { labels, counts } of all())
          for (const [le, count] of cumulative(counts)) this.inc({ ...labels, le }, count);
      },
    });
    const labelNames = ['host', 'environment', 'route', 'status'];
    new Counter({
      name: `${NAME}_sum`,
      help: 'Seconds spent on requests.',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { labels, sum } of all()) this.inc(labels, sum / 1000);
      },
    });
    new Counter({
      name: `${NAME}_count`,
      help: 'Requests.',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { labels, counts } of all())
          this.inc(
            labels,
            counts.reduce((total, count) => total + count, 0),
          );
      },
    });
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
}

function* cumulative(counts: Float64Array): Generator<[le: string, count: number]> {
  let total = 0;
  for (const [index, count] of counts.entries()) {
    total += count;
    yield [index < BOUNDS.length ? String((BOUNDS[index] ?? 0) / 1000) : '+Inf', total];
  }
}

export const requestDurations = perSystem((system) => new RequestDurations(system));

import autocannon from 'autocannon';

export type Request = {
  method?: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Rate in requests per second, latencies in milliseconds. */
export type Measured = { rate: number; p50: number; p99: number };

const WARM_UP_SECONDS = 2;
const SECONDS = 6;
const CONNECTIONS = 32;

/** Puts load on an address, alternating between the given requests. @throws Error if any response is not 2xx */
export async function load(url: string, requests: Request[]): Promise<Measured> {
  await autocannon({ url, connections: CONNECTIONS, duration: WARM_UP_SECONDS, requests });
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, requests });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${bad} of ${result.requests.total} requests to ${url} failed.`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Runs one chain of sequential steps per connection, in parallel. @param step runs a step and returns the input of the next */
export async function loadChains(states: string[], step: (state: string) => Promise<string>): Promise<Measured> {
  const durations: number[] = [];
  const measureFrom = performance.now() + WARM_UP_SECONDS * 1000;
  const end = measureFrom + SECONDS * 1000;
  await Promise.all(
    states.map(async (first) => {
      let state = first;
      for (let began = performance.now(); began < end; began = performance.now()) {
        // biome-ignore lint/performance/noAwaitInLoops: a chain
        state = await step(state);
        if (began >= measureFrom) durations.push(performance.now() - began);
      }
    }),
  );
  durations.sort((a, b) => a - b);
  const at = (share: number) => durations[Math.floor(durations.length * share)] ?? Number.NaN;
  return { rate: durations.length / SECONDS, p50: at(0.5), p99: at(0.99) };
}

/** The best run counts, because other programs on the machine disturb the measurement. */
const TURNS = 3;

/** @returns the 95th percentile in milliseconds of `rounds` sequential calls, from the best of three runs */
export async function percentile95(rounds: number, call: () => Promise<unknown>): Promise<number> {
  const turns: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const durations: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      // biome-ignore lint/performance/noAwaitInLoops: one call after the other
      await call();
      durations.push(performance.now() - began);
    }
    durations.sort((a, b) => a - b);
    turns.push(durations[Math.floor(rounds * 0.95)] ?? Number.NaN);
  }
  return Math.min(...turns);
}

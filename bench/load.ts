import autocannon from 'autocannon';

export type Request = {
  method?: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Requests per second, and milliseconds. */
export type Measured = { rate: number; p50: number; p99: number };

const WARM_UP_SECONDS = 2;
const SECONDS = 6;
const CONNECTIONS = 32;

/** Puts load on an address; several requests are sent in turns. @throws Error when any answer is not 2xx */
export async function load(url: string, requests: Request[]): Promise<Measured> {
  await autocannon({ url, connections: CONNECTIONS, duration: WARM_UP_SECONDS, requests });
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, requests });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${bad} of ${result.requests.total} requests to ${url} failed.`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Runs as many chains at once as there are connections, each step of a chain after the one before. @param step does one and says how the next begins */
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

/** @returns the 95th percentile of what `rounds` calls took in milliseconds, one after the other, after a fifth as many to warm up */
export async function percentile95(rounds: number, call: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  const warmUp = Math.ceil(rounds / 5);
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const began = performance.now();
    // biome-ignore lint/performance/noAwaitInLoops: one call after the other
    await call();
    if (round >= warmUp) durations.push(performance.now() - began);
  }
  durations.sort((a, b) => a - b);
  return durations[Math.floor(rounds * 0.95)] ?? Number.NaN;
}

import { setTimeout } from 'node:timers/promises';
import autocannon from 'autocannon';
import { processorSeconds } from './server.ts';

export type Request = {
  method?: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Rate in requests per second, latencies in milliseconds; `cpu`: milliseconds of the server's processor time for each. */
export type Measured = { rate: number; p50: number; p99: number; cpu: number };

const QUICK = process.argv.includes('--quick');
const WARM_UP_SECONDS = QUICK ? 1 : 2;
const SECONDS = QUICK ? 2 : 4;
export const CONNECTIONS = 32;

/** The server whose processor time is measured. */
export type Server = { url: string; pid: number | undefined };

/** Puts load on an address, alternating between the given requests. @throws Error if any response is not 2xx */
export async function load(
  { url, pid }: Server,
  requests: Request[],
  { connections = CONNECTIONS, setupClient }: Pick<autocannon.Options, 'connections' | 'setupClient'> = {},
): Promise<Measured> {
  const options = { url, connections, requests, ...(setupClient && { setupClient }) };
  await autocannon({ ...options, duration: WARM_UP_SECONDS });
  const before = await processorSeconds(pid);
  const result = await autocannon({ ...options, duration: SECONDS });
  const cpu = ((await processorSeconds(pid)) - before) * 1000;
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${bad} of ${result.requests.total} requests to ${url} failed.`);
  const { average: rate, total } = result.requests;
  return { rate, p50: result.latency.p50, p99: result.latency.p99, cpu: cpu / total };
}

/**
 * Sends one chain of requests per connection: each body is made from the response before.
 * @param states the inputs of the first bodies
 */
export function loadResponses(
  server: Server,
  request: Request,
  { states, bodyOf, read }: { states: string[]; bodyOf: (state: string) => string; read: (response: string) => string },
): Promise<Measured> {
  const last = [...states];
  let clients = 0;
  const setupClient = (client: autocannon.Client) => {
    const index = clients % last.length;
    clients += 1;
    const next = () => ({
      ...request,
      body: bodyOf(last[index] ?? ''),
      onResponse: (status: number, body: string) => {
        if (status === 200) last[index] = read(body);
      },
    });
    client.setRequests([next()]);
    client.on('response', () => client.setRequests([next()]));
  };
  return load(server, [request], { connections: states.length, setupClient });
}

/** Durations in milliseconds, as what is shown of them. */
export function percentilesOf(durations: number[]): { p50: number; p99: number } {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Runs one chain of sequential steps per connection, in parallel. @param step runs a step and returns the input of the next */
export async function loadChains(
  pid: number | undefined,
  states: string[],
  step: (state: string) => Promise<string>,
): Promise<Measured> {
  const durations: number[] = [];
  const measureFrom = performance.now() + WARM_UP_SECONDS * 1000;
  const end = measureFrom + SECONDS * 1000;
  const before = setTimeout(WARM_UP_SECONDS * 1000).then(() => processorSeconds(pid));
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
  const cpu = ((await processorSeconds(pid)) - (await before)) * 1000;
  return { rate: durations.length / SECONDS, ...percentilesOf(durations), cpu: cpu / durations.length };
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

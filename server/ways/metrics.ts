import { type Environment, environments } from '#platform/ctx.ts';
import type { App, Reply, Request } from '#platform/http.ts';
import { problemOf } from '#platform/http-errors.ts';
import { counter, type Metric } from '#platform/metrics.ts';
import { wayOf } from './noted-ways.ts';
import { WAYS, type Way } from './ways.ts';

const RESULTS = [
  'signed_in',
  'second_factor',
  'no_session',
  'wrong_credential',
  'refused',
  'throttled',
  'failed',
] as const;
type Result = (typeof RESULTS)[number];

const signIns = counter({
  name: 'latchkey_sign_ins_total',
  help: 'Requests to sign in and related requests, by result. `second_factor`: the person must still prove a second factor. `no_session`: the request succeeded and starts no session. `failed`: the server had a fault.',
  labels: {
    environment: environments,
    way: Object.keys(WAYS).filter((name): name is Way => name in WAYS),
    result: RESULTS,
  },
  roles: ['auth'],
});

export const metrics: readonly Metric[] = [signIns];

/** Counts the requests that take a way in, by their result. */
export function countWays(app: App, environment: Environment): void {
  app.addHook('onResponse', (request, reply, done) => {
    const noted = wayOf(request.trace);
    if (noted)
      signIns.count(app.system, { environment, way: noted.way, result: resultOf(request, reply) ?? noted.result });
    done();
  });
}

/**
 * The result of a request that failed; null if it succeeded. Pages show some problems with another status than the API,
 * so the status of the problem counts.
 */
function resultOf({ trace }: Request, { statusCode }: Reply): Result | null {
  const status = problemOf(trace)?.status ?? statusCode;
  if (status >= 500) return 'failed';
  if (status === 429) return 'throttled';
  if (status === 401) return 'wrong_credential';
  return status >= 400 ? 'refused' : null;
}

import type { FastifyRequest } from 'fastify';

/** A call that a route makes ahead of its transaction, and its result. */
type AheadCall<T> = {
  /** The route's `config.ahead`. */
  call: (request: FastifyRequest) => Promise<void>;
  /** The result, for the handler of the route. */
  resultFor: (request: FastifyRequest) => T;
};

/**
 * Lets a route call out (name servers, providers) before its request becomes a transaction, so that a slow remote side
 * holds no database connection.
 * @param work runs after validation and authorisation, and reads outside of any transaction; an error it throws is the
 * response
 */
export function callingAhead<T>(work: (request: FastifyRequest) => Promise<T>): AheadCall<T> {
  const results = new WeakMap<FastifyRequest, { result: T }>();
  return {
    call: async (request) => {
      results.set(request, { result: await work(request) });
    },
    resultFor: (request) => {
      const known = results.get(request);
      if (!known) throw new Error(`${request.url} does not ask ahead.`);
      return known.result;
    },
  };
}

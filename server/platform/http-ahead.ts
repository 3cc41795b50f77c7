import type { FastifyRequest } from 'fastify';

/** A call that a route makes ahead of its transaction, and its result. */
type Asked<T> = {
  /** The route's `config.ahead`. */
  ask: (request: FastifyRequest) => Promise<void>;
  /** The result, for the handler of the route. */
  answerFor: (request: FastifyRequest) => T;
};

/**
 * Lets a route call out (name servers, providers) before its request becomes a transaction, so that a slow remote side
 * holds no database connection.
 * @param work runs after validation and authorisation, and reads outside of any transaction; an error it throws is the
 * response
 */
export function askedAhead<T>(work: (request: FastifyRequest) => Promise<T>): Asked<T> {
  const answers = new WeakMap<FastifyRequest, { answer: T }>();
  return {
    ask: async (request) => {
      answers.set(request, { answer: await work(request) });
    },
    answerFor: (request) => {
      const known = answers.get(request);
      if (!known) throw new Error(`${request.url} does not ask ahead.`);
      return known.answer;
    },
  };
}

import type { FastifyRequest } from 'fastify';

/** A question to others that a route asks ahead, and what came of it. */
type Asked<T> = {
  /** The route's `config.ahead`. */
  ask: (request: FastifyRequest) => Promise<void>;
  /** For its handler. */
  answerFor: (request: FastifyRequest) => T;
};

/**
 * Lets a route ask others (name servers, providers) before its request becomes a transaction: whoever takes long to answer
 * keeps no connection of the database, and nobody else waiting for one.
 * @param work sees the request checked and authorised, and reads outside of any transaction; what it throws is the answer
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

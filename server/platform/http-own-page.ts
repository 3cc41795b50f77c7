import type { FastifyRequest } from 'fastify';
import { problem } from './problem.ts';

/**
 * Forms are sent by the pages of the address they came to, and by no page of others (ASVS 3.5.1). A browser that keeps the origin
 * to itself (`no-referrer` makes it `null`) still says by `Sec-Fetch-Site` whose page it was.
 * @throws Problem ORIGIN_NOT_ALLOWED
 */
export function requireOwnPage({ headers, address }: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const own =
    origin === undefined || origin === 'null' ? site === undefined || site === 'same-origin' : origin === address.url;
  if (!own) throw problem('ORIGIN_NOT_ALLOWED', 'This form can only be sent from its own page.');
}

import type { FastifyRequest } from 'fastify';
import { problem } from './problem.ts';

/**
 * Accepts forms only from pages of the same address (ASVS 3.5.1). With `no-referrer` a browser sends `Origin: null`,
 * but `Sec-Fetch-Site` still says where the page comes from.
 * @throws Problem ORIGIN_NOT_ALLOWED
 */
export function requireOwnPage({ headers, address }: Pick<FastifyRequest, 'headers' | 'address'>): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const own =
    origin === undefined || origin === 'null' ? site === undefined || site === 'same-origin' : origin === address.url;
  if (!own) throw problem('ORIGIN_NOT_ALLOWED', 'This form can only be sent from its own page.');
}

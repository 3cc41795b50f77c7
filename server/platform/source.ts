import ipaddr from 'ipaddr.js';
import type { Trace } from './ctx.ts';

/** A household or a host is given a whole /64 (RFC 6177, RFC 7934), so its addresses count as one source. */
const IPV6_PREFIX = 64;

/** The networks whose addresses are the same source as `ip`, in CIDR notation; the first one names the source. */
export function networksOf(ip: string): string[] {
  if (!ipaddr.isValid(ip)) return [];
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return [`${address.toString()}/32`, `::ffff:${address.toString()}/128`];
  // Behind NAT64 (RFC 6052) the last 32 bits are the client's own IPv4 address.
  if (address.range() === 'rfc6052') return [`${address.toNormalizedString()}/128`];
  return [
    ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${IPV6_PREFIX}`).toString() + `/${IPV6_PREFIX}`,
  ];
}

/** What a request's source is counted by: its IPv4 address, or the /64 of its IPv6 address. */
export function sourceOf({ ip }: Pick<Trace, 'ip'>): string {
  return (ip === null ? undefined : networksOf(ip)[0]) ?? 'unknown';
}

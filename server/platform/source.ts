import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Trace } from './ctx.ts';

/** Addresses that are remembered; each takes some hundred bytes. */
const MAX_REMEMBERED = 10_000;

/** `1.2.3.4:80`, `[2001:db8::1]:443`, `[2001:db8::1]`: how proxies write an address together with its port. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::\d{1,5})?$/;

/**
 * The source of a request, as the socket or a trusted proxy names it, in the one form in which it is stored, counted and
 * compared: without port, brackets and zone id (RFC 4007 §11); IPv6 compressed (RFC 5952); an IPv4-mapped address is the IPv4
 * address (RFC 4291 §2.5.5.2).
 * @returns null for what is no address
 */
export function parseSource(text: string | undefined): string | null {
  return parse(text ?? '');
}

const parse = remembering((text): string | null => {
  const [, bracketed, plain] = WITH_PORT.exec(text.trim()) ?? [];
  const address = (bracketed ?? plain ?? text.trim()).replace(/%.*$/s, '');
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
});

/** Most requests come from sources that sent one lately; reading an address anew takes as long as a tenth of a small answer. */
function remembering<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = read(text);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, value);
    return value;
  };
}

/** Does a list of addresses and ranges contain the address that a hop of a request came from? */
export function trustsSource(ranges: readonly string[]): (address: string | undefined) => boolean {
  const trusted = ranges.map((range) => {
    if (range.includes('/')) return ipaddr.parseCIDR(range);
    const only = ipaddr.process(range);
    return [only, only.kind() === 'ipv4' ? 32 : 128] as const;
  });
  return (address) => {
    const source = parseSource(address);
    if (source === null) return false;
    const parsed = ipaddr.parse(source);
    return trusted.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
}

/** A household or a host is given a whole /64 (RFC 6177, RFC 7934), so its addresses count as one source. */
const IPV6_PREFIX = 64;

/** The networks whose addresses are the same source as `ip`, in CIDR notation; the first one names the source. */
export function networksOf(ip: string): string[] {
  if (!ipaddr.isValid(ip)) return [];
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return [`${address.toString()}/32`, `::ffff:${address.toString()}/128`];
  // Behind NAT64 (RFC 6052) the last 32 bits are the client's own IPv4 address.
  if (address.range() === 'rfc6052') return [`${address.toNormalizedString()}/128`];
  return [`${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${IPV6_PREFIX}`)}/${IPV6_PREFIX}`];
}

/** What a request's source is counted by: its IPv4 address, or the /64 of its IPv6 address. */
export function sourceOf({ ip }: Pick<Trace, 'ip'>): string {
  return ip === null ? 'unknown' : networkOf(ip);
}

const networkOf = remembering((ip) => networksOf(ip)[0] ?? 'unknown');

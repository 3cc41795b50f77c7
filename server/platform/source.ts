import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Trace } from './ctx.ts';

/** The size of the cache of parsed addresses; an entry takes some hundred bytes. */
const MAX_CACHED = 10_000;

/** `1.2.3.4:80`, `[2001:db8::1]:443`, `[2001:db8::1]`: the forms in which proxies add a port. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::\d{1,5})?$/;

/**
 * Parses the source of a request, as the socket or a trusted proxy names it, to the form that is stored, counted and
 * compared: without port, brackets and zone id (RFC 4007 §11); IPv6 compressed (RFC 5952); an IPv4-mapped address as
 * its IPv4 address (RFC 4291 §2.5.5.2).
 * @returns null for text that is not an address
 */
export function parseSource(text: string | undefined): string | null {
  return parse(text ?? '');
}

const parse = cached((text): string | null => {
  const [, bracketed, plain] = WITH_PORT.exec(text.trim()) ?? [];
  const address = (bracketed ?? plain ?? text.trim()).replace(/%.*$/s, '');
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
});

/** Caches results: most requests come from recent sources, and parsing takes up to a tenth of a small request. */
function cached<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = read(text);
    if (known.size >= MAX_CACHED) known.clear();
    known.set(text, value);
    return value;
  };
}

/** Builds a predicate that says whether a list of addresses and ranges contains the address of a hop. */
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

/** A household or host usually gets a whole /64 (RFC 6177, RFC 7934), so its addresses count as one source. */
const IPV6_PREFIX = 64;

/**
 * The networks that count as the same source as `ip`, in CIDR notation; the first is the canonical name of the source.
 */
export function networksOf(ip: string): string[] {
  if (!ipaddr.isValid(ip)) return [];
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return [`${address.toString()}/32`, `::ffff:${address.toString()}/128`];
  // Behind NAT64 (RFC 6052) the last 32 bits are the client's own IPv4 address.
  if (address.range() === 'rfc6052') return [`${address.toNormalizedString()}/128`];
  return [`${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${IPV6_PREFIX}`)}/${IPV6_PREFIX}`];
}

/** The key by which a request's source is counted: its IPv4 address, or the /64 of its IPv6 address. */
export function sourceOf({ ip }: Pick<Trace, 'ip'>): string {
  return ip === null ? 'unknown' : networkOf(ip);
}

const networkOf = cached((ip) => networksOf(ip)[0] ?? 'unknown');

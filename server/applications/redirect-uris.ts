import type { Environment } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { ApplicationKind } from './grants.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

type Addresses = {
  redirectUris?: readonly string[];
  postLogoutRedirectUris?: readonly string[];
  backchannelLogoutUri?: string | null;
  origins?: readonly string[];
};

/**
 * Validates all addresses of an application: absolute, without wildcard, fragment or password; https, except for
 * localhost in the test environment and for native applications, which may also use custom schemes (RFC 8252 §7; RFC
 * 9700 §4.1; OA-1).
 * @throws Problem VALIDATION_FAILED with each fault
 */
export function checkAddresses(environment: Environment, kind: ApplicationKind, addresses: Addresses): void {
  const native = kind === 'native';
  const errors = [
    ...faults('redirectUris', addresses.redirectUris, (uri) => uriFault(uri, environment, native)),
    ...faults('postLogoutRedirectUris', addresses.postLogoutRedirectUris, (uri) => uriFault(uri, environment, native)),
    ...faults('origins', addresses.origins, (origin) => originFault(origin, environment)),
  ];
  const { backchannelLogoutUri: backchannel } = addresses;
  const fault = backchannel ? uriFault(backchannel, environment, false) : null;
  if (fault) errors.push({ pointer: '/body/backchannelLogoutUri', message: fault });
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

function faults(field: string, values: readonly string[] = [], faultOf: (value: string) => string | null) {
  return values.flatMap((value, index) => {
    const message = faultOf(value);
    return message === null ? [] : [{ pointer: `/body/${field}/${index}`, message: `${message}; received ${value}` }];
  });
}

/** @returns what is wrong with an address that people or messages are sent to */
export function uriFault(uri: string, environment: Environment, native: boolean): string | null {
  const url = URL.parse(uri);
  if (!url) return 'must be an absolute URI';
  if (uri.includes('*')) return 'must be exact: wildcards are not supported';
  if (url.username || url.password) return 'must not contain a user name or password';
  return fragmentFault(uri) ?? schemeFault(url, environment, native);
}

function fragmentFault(uri: string): string | null {
  return uri.includes('#') ? 'must not have a fragment' : null;
}

function schemeFault({ protocol, hostname }: URL, environment: Environment, native: boolean): string | null {
  if (protocol === 'https:') return null;
  const here = LOOPBACK.includes(hostname);
  if (protocol === 'http:') {
    if (here && (native || environment === 'test')) return null;
    return native || environment === 'test' ? 'must use https, or http on this machine' : 'must use https';
  }
  // RFC 8252 §7.1: a custom scheme is a reversed domain name.
  if (native && /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)) return null;
  return native ? 'must use https, this machine, or a scheme such as com.example.app' : 'must use https';
}

function originFault(origin: string, environment: Environment): string | null {
  const url = URL.parse(origin);
  if (!url || url.origin !== origin) return 'must be an origin: scheme, host and port, without a path';
  return schemeFault(url, environment, false);
}

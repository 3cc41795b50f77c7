import { lookup } from 'node:dns/promises';
import type { Config } from '#platform/config.ts';
import type { Finding } from './doctor.ts';

const RESPONSE_MS = 5_000;

/** Checks that each public address resolves, and that this Latchkey responds there for its environment. */
export async function checkAddresses({ addresses, mode }: Config): Promise<Finding[]> {
  const all = [
    { check: 'console address', url: addresses.console, environment: null },
    { check: 'test auth', url: addresses.test.auth, environment: 'test' },
    { check: 'test API', url: addresses.test.api, environment: 'test' },
    { check: 'production auth', url: addresses.production.auth, environment: 'production' },
    { check: 'production API', url: addresses.production.api, environment: 'production' },
  ];
  return Promise.all(all.map((address) => checkAddress({ ...address, mode })));
}

type Address = { check: string; url: string; environment: string | null; mode: Config['mode'] };

async function checkAddress({ check, url, environment, mode }: Address): Promise<Finding> {
  const { hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(name, { all: true }).catch(() => []);
  if (addresses.length === 0)
    return { check, state: 'failed', found: `${url}: ${name} has no address`, remedy: `Add a DNS record for ${name}.` };
  try {
    const response = await fetch(`${url}/api/status/summary`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    const summary: unknown = await response.json();
    const theirs = Object(summary).environment;
    if (response.ok && typeof theirs === 'string' && (environment === null || theirs === environment))
      return { check, state: 'ok', found: url };
    return {
      check,
      state: 'failed',
      found: `${url} answered ${response.status}${typeof theirs === 'string' ? `, for the environment ${theirs}` : ''}`,
      remedy: 'Something else answers there: see where the reverse proxy sends this host, and that it passes Host on.',
    };
  } catch (error) {
    return {
      check,
      state: mode === 'production' ? 'failed' : 'warning',
      found: `${url}: ${reasonOf(error)}`,
      remedy: 'Start Latchkey, and check that the reverse proxy and the firewall let this address through.',
    };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/CERT|TLS|SSL|ALTNAME/.test(code)) return `its certificate is not accepted (${code})`;
  return cause instanceof Error && cause.message !== '' ? cause.message : code || error.message;
}

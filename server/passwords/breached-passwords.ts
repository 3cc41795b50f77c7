import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Ctx, Trace } from '#platform/ctx.ts';
import { outbound } from '#platform/fetch.ts';
import type { Request } from '#platform/http.ts';
import type { System } from '#platform/system.ts';

const require = createRequire(import.meta.url);

let common: ReadonlySet<string> | null = null;

/** True for one of the 49,000 most common passwords, in any case (ASVS 6.2.4). Needs no network. */
export function isCommon(password: string): boolean {
  common ??= new Set(loadCommon());
  return common.has(password.toLowerCase());
}

/** Read on first use, because it takes half a megabyte. */
function loadCommon(): string[] {
  const { dictionary }: { dictionary?: Record<string, unknown> } = require('@zxcvbn-ts/language-common');
  const list = dictionary?.['passwords-common'];
  if (!Array.isArray(list)) throw new Error('The list of common passwords is missing in @zxcvbn-ts/language-common.');
  return list.map(String);
}

/** The service's result for the password of a request, fetched before the request's transaction started. */
const responses = new WeakMap<Trace, { password: string; breached: boolean }>();

/**
 * Asks the service before a request that is one transaction, so that no database connection is held while the service
 * responds. For a route's `config.ahead`; other requests ask when their password is checked.
 */
export async function askBreachedAhead({ server: { system }, headers, body, trace }: Request): Promise<void> {
  if (headers['idempotency-key'] === undefined && headers['if-match'] === undefined) return;
  const { password, newPassword } = Object(body);
  const given: unknown = password ?? newPassword;
  if (typeof given !== 'string') return;
  const plain = given.normalize('NFKC');
  // Refused whatever the service says.
  if (isCommon(plain)) return;
  responses.set(trace, { password: plain, breached: await askService(system, plain) });
}

/** Whether a password is known from a breach; uses the result of {@link askBreachedAhead} if there is one. */
export async function isBreached({ system, trace }: Pick<Ctx, 'system' | 'trace'>, password: string): Promise<boolean> {
  const known = responses.get(trace);
  return known?.password === password ? known.breached : askService(system, password);
}

/**
 * Asks the configured range service whether a password is known from a breach. Sends only five characters of its SHA-1
 * (k-anonymity) and requests padding. If the service does not respond, the password is accepted, because an outage must
 * not stop registrations.
 */
async function askService(system: System, password: string): Promise<boolean> {
  const { breachedPasswordsUrl } = system.config;
  if (breachedPasswordsUrl === null) return false;
  const digest = hash('sha1', password, 'hex').toUpperCase();
  try {
    const response = await outbound(system, `${breachedPasswordsUrl.replace(/\/?$/, '/')}${digest.slice(0, 5)}`, {
      headers: { 'add-padding': 'true', 'user-agent': 'latchkey' },
      signal: AbortSignal.timeout(3_000),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.text())
      .split('\n')
      .map((line) => line.trim().split(':'))
      .some(([suffix, count]) => suffix === digest.slice(5) && count !== '0');
  } catch (error) {
    system.log.warn({ err: error }, 'the breached-password service did not respond; only the built-in list was used');
    return false;
  }
}

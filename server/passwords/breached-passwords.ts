import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Ctx, Trace } from '#platform/ctx.ts';
import { outbound } from '#platform/fetch.ts';
import type { Request } from '#platform/http.ts';
import type { System } from '#platform/system.ts';

const require = createRequire(import.meta.url);

let common: ReadonlySet<string> | null = null;

/** True for one of the 49,000 passwords people choose most, in any case (ASVS 6.2.4). Needs no network. */
export function isCommon(password: string): boolean {
  common ??= new Set(loadCommon());
  return common.has(password.toLowerCase());
}

/** Read at the first use: it is half a megabyte. */
function loadCommon(): string[] {
  const { dictionary }: { dictionary?: Record<string, unknown> } = require('@zxcvbn-ts/language-common');
  const list = dictionary?.['passwords-common'];
  if (!Array.isArray(list)) throw new Error('The list of common passwords is not where it was.');
  return list.map(String);
}

/** What the service said of a password before the request that brought it became a transaction. */
const answers = new WeakMap<Trace, { password: string; breached: boolean }>();

/**
 * Asks ahead of a request that is one transaction, which then holds no connection of the database while the service takes its time:
 * for a route's `config.ahead`. Other requests are asked about where their password is checked.
 */
export async function askBreachedAhead({ server: { system }, headers, body, trace }: Request): Promise<void> {
  if (headers['idempotency-key'] === undefined && headers['if-match'] === undefined) return;
  const { password, newPassword } = Object(body);
  const given: unknown = password ?? newPassword;
  if (typeof given !== 'string') return;
  const plain = given.normalize('NFKC');
  // Refused whatever the service says.
  if (isCommon(plain)) return;
  answers.set(trace, { password: plain, breached: await askService(system, plain) });
}

/** Whether a password is known from a breach; of one that was asked about ahead, what was answered then. */
export async function isBreached({ system, trace }: Pick<Ctx, 'system' | 'trace'>, password: string): Promise<boolean> {
  const known = answers.get(trace);
  return known?.password === password ? known.breached : askService(system, password);
}

/**
 * Asks the configured range service whether a password is known from a breach. Only five characters of its SHA-1 are sent
 * (k-anonymity), with padding asked for. A service that does not answer accepts: it must not keep people from registering.
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
    system.log.warn({ err: error }, 'the breached-password service did not answer; only the built-in list was used');
    return false;
  }
}

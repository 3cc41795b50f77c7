import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { faultOfDatabaseUrl } from './database-url.ts';

export type Values = Readonly<Record<string, string | undefined>>;

/** The given values, and the faults found before any value is validated. */
export type Settings = { values: Values; faults: string[] };

/** Settings that may hold passwords or keys. Each has a twin `…_FILE`, the path of a file that holds the value. */
const SECRET_SETTINGS = [
  'DATABASE_DIRECT_URL',
  'DATABASE_URL',
  'LATCHKEY_BACKUP_KEY',
  'LATCHKEY_BACKUP_TO',
  'LATCHKEY_PAYMENTS_URL',
  'LATCHKEY_SECRET',
  'LATCHKEY_SMS_URL',
  'LATCHKEY_SMTP_URL',
  'VALKEY_URL',
];
const KNOWN = [
  ...SECRET_SETTINGS,
  ...SECRET_SETTINGS.map(fileOf),
  'LATCHKEY_ACME_DIRECTORY',
  'LATCHKEY_ACME_EMAIL',
  'LATCHKEY_BACKUP_KEEP',
  'LATCHKEY_BACKUP_KEEP_DAYS',
  'LATCHKEY_BACKUP_SCHEDULE',
  'LATCHKEY_BACKUP_VERIFY_SCHEDULE',
  'LATCHKEY_CONFIG',
  'LATCHKEY_CONSOLE_URL',
  'LATCHKEY_COUNTRY_FILE',
  'LATCHKEY_COUNTRY_HEADER',
  'LATCHKEY_STATUS_URL',
  'LATCHKEY_DATABASE_LOCK_SECONDS',
  'LATCHKEY_DATABASE_POOL',
  'LATCHKEY_DATABASE_STATEMENT_SECONDS',
  'LATCHKEY_DATA_DIR',
  'LATCHKEY_DNS_SERVERS',
  'LATCHKEY_DRAIN_SECONDS',
  'LATCHKEY_HOST',
  'LATCHKEY_HTTPS_PORT',
  'LATCHKEY_HTTP_PORT',
  'LATCHKEY_INTERNAL_HOST',
  'LATCHKEY_LOG_FORMAT',
  'LATCHKEY_LOG_LEVEL',
  'LATCHKEY_MAIL_FROM',
  'LATCHKEY_MAIL_DKIM',
  'LATCHKEY_SMS_TIERS',
  'LATCHKEY_BREACHED_PASSWORDS_URL',
  'LATCHKEY_MODE',
  'LATCHKEY_PORT_BASE',
  'LATCHKEY_PRODUCTION_API_URL',
  'LATCHKEY_PRODUCTION_AUTH_URL',
  'LATCHKEY_ROLES',
  'LATCHKEY_TEST_API_URL',
  'LATCHKEY_TEST_AUTH_URL',
  'LATCHKEY_TRUSTED_PROXIES',
  'LATCHKEY_STATUS_CHAT_HOSTS',
  'LATCHKEY_WEBHOOK_ALLOW_PRIVATE',
];
/** Set by the test runner for the tests; child processes inherit them. */
const TEST_SETTINGS = ['LATCHKEY_TEST_DATABASE_URL', 'LATCHKEY_TEST_SUMMARY'];
/** The largest edit distance at which an unknown name is reported as a typing error. */
const MAX_EDITS = 4;

/**
 * Merges the environment, the configuration file it may name and `overrides`. `overrides` have the highest precedence.
 */
export function readSettings(environment: Values, overrides: Values): Settings {
  const given = withSecretFiles({ ...definedOnly(environment), ...definedOnly(overrides) });
  const file = readFile(given.values['LATCHKEY_CONFIG']);
  const unknown = Object.entries(environment)
    .filter(([name, value]) => name.startsWith('LATCHKEY_') && !isServiceLink(name, value ?? ''))
    .map(([name]) => name)
    .filter((name) => !KNOWN.includes(name) && !TEST_SETTINGS.includes(name));
  return {
    values: { ...file.values, ...given.values },
    faults: [...unknown.map((name) => unknownName(name)), ...given.faults, ...file.faults],
  };
}

function fileOf(name: string): string {
  return `${name}_FILE`;
}

/** Reads the secrets whose files are named. */
function withSecretFiles(values: Values): Settings {
  const read: Record<string, string> = {};
  const faults: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const path = values[fileOf(name)];
    if (path === undefined) continue;
    if (values[name] !== undefined) faults.push(`Both ${name} and ${fileOf(name)} are given. Leave one of them out.`);
    else
      try {
        read[name] = readFileSync(path, 'utf8').trim();
        if (read[name] === '') faults.push(secretFileFault(name, path, 'it is empty'));
      } catch (error) {
        faults.push(secretFileFault(name, path, String(error)));
      }
  }
  return { values: { ...values, ...read }, faults };
}

function secretFileFault(name: string, path: string, what: string): string {
  return `${fileOf(name)} is "${path}"; expected a file that holds ${name}: ${what}. Correct the file or the name.`;
}

/**
 * Kubernetes and Docker describe a service named `latchkey` or `latchkey-…` to every container, in variables such as
 * `LATCHKEY_SERVICE_HOST` and `LATCHKEY_PORT=tcp://10.0.0.1:80`.
 */
function isServiceLink(name: string, value: string): boolean {
  return (
    /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/.test(name) ||
    (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value))
  );
}

/** An empty variable counts as unset, because compose files and CI set unused variables to the empty string. */
function definedOnly(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value.trim() !== ''));
}

function readFile(path: string | undefined): Settings {
  if (path === undefined) return { values: {}, faults: [] };
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof content !== 'object' || content === null || Array.isArray(content))
      return { values: {}, faults: [fileFault(path, 'it holds no object')] };
    return fileValues(path, content);
  } catch (error) {
    return { values: {}, faults: [fileFault(path, error instanceof SyntaxError ? notJson(error) : String(error))] };
  }
}

function fileValues(path: string, content: object): Settings {
  const values: Record<string, string> = {};
  const faults: string[] = [];
  for (const [name, value] of Object.entries(content)) {
    const items = Array.isArray(value) ? value : [value];
    if (!isFileName(name)) faults.push(unknownName(name, ` in ${path}`));
    else if (items.every((item) => typeof item === 'string' || typeof item === 'number'))
      values[name] = items.join(',');
    else faults.push(`${name} in ${path} is ${typeof value}; expected text, a number, or a list of them. Correct it.`);
  }
  const { values: whole, faults: unread } = withSecretFiles(definedOnly(values));
  return { values: whole, faults: [...faults, ...unread] };
}

/** The file may contain the settings of other programs. */
function isFileName(name: string): boolean {
  return (KNOWN.includes(name) && name !== 'LATCHKEY_CONFIG') || name.startsWith('OTEL_');
}

function fileFault(path: string, what: string): string {
  return `LATCHKEY_CONFIG is "${path}"; expected a JSON file such as { "LATCHKEY_PORT_BASE": 5000 }: ${what}. Correct the file or the name.`;
}

/** The parser's own message quotes the file, which may hold secrets. */
function notJson(error: SyntaxError): string {
  return `not JSON${/ at position \d+( \(line \d+ column \d+\))?/.exec(error.message)?.[0] ?? ''}`;
}

function unknownName(name: string, where = ''): string {
  const [nearest] = KNOWN.map((known) => ({ known, distance: editDistance(name, known) })).sort(
    (a, b) => a.distance - b.distance,
  );
  const advice =
    nearest && nearest.distance <= MAX_EDITS
      ? `Did you mean ${nearest.known}?`
      : `Remove it; known are ${KNOWN.join(', ')}.`;
  return `${name}${where} is not a setting. ${advice}`;
}

/** The Levenshtein distance: the number of characters to replace, insert or delete. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const change = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Parses values of each kind, and collects all faults instead of stopping at the first. */
export class ConfigReader {
  readonly faults: string[];
  readonly #values: Values;

  constructor({ values, faults }: Settings) {
    this.#values = values;
    this.faults = [...faults];
  }

  text(name: string): string | null {
    return this.#values[name]?.trim() ?? null;
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name);
    const chosen = choices.find((choice) => choice === value);
    if (value !== null && chosen === undefined)
      this.fault(name, `one of ${choices.join(', ')}. Leave it out for ${fallback}`);
    return chosen ?? fallback;
  }

  /** A subset of the choices, in the order of `choices`; all of them if the setting is absent. */
  choices<T extends string>(name: string, choices: readonly T[]): T[] {
    const named = this.list(name);
    if (named.some((item) => !choices.some((choice) => choice === item)))
      this.fault(name, `a list, separated by commas, out of ${choices.join(', ')}. Leave it out for all`);
    return named.length === 0 ? [...choices] : choices.filter((choice) => named.includes(choice));
  }

  integer(name: string, { from, to, fallback }: { from: number; to: number; fallback: number }): number {
    const value = this.text(name);
    if (value === null) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= from && number <= to) return number;
    this.fault(name, `a whole number from ${from} to ${to}. Leave it out for ${fallback}`);
    return fallback;
  }

  /** A public address: scheme, host and port only. */
  address(name: string, fallback: string): string {
    const value = this.text(name);
    if (value === null) return fallback;
    const url = URL.parse(value);
    const whole =
      url !== null && ['https:', 'http:'].includes(url.protocol) && url.origin === url.href.replace(/\/$/, '');
    if (whole) return url.origin;
    this.fault(name, 'an address such as https://auth.example.com, without path, query or user');
    return fallback;
  }

  /** The address of a server to connect to. It may hold a password. */
  connection(name: string, protocols: readonly string[], example: string): string | null {
    const value = this.text(name);
    if (value === null) return null;
    const url = URL.parse(value);
    if (url && protocols.includes(url.protocol) && url.hostname !== '') return value;
    this.fault(
      name,
      `an address such as ${example}. Characters that addresses reserve must be percent-encoded in user and password`,
    );
    return null;
  }

  /** The address of a PostgreSQL database, which may name several servers. */
  database(name: string): string | null {
    const value = this.text(name);
    const expected = value === null ? null : faultOfDatabaseUrl(value);
    if (expected === null) return value;
    this.fault(name, expected);
    return null;
  }

  ranges(name: string): string[] {
    const items = this.list(name);
    const wrong = items.some((item) => !ipaddr.isValidCIDR(item) && !(ipaddr.isValid(item) && /[.:].*[.:]/.test(item)));
    if (wrong) this.fault(name, 'IP addresses or ranges such as 10.0.0.0/8, separated by commas');
    return items;
  }

  /** Servers by IP address, with an optional port. */
  servers(name: string): string[] {
    const items = this.list(name);
    const wrong = items.some((item) => {
      const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]+|[^:]*:.*:.*?))(?::(\d{1,5}))?$/.exec(item) ?? [];
      return isIP(bracketed ?? plain) === 0 || Number(port ?? 1) > 65_535;
    });
    if (wrong)
      this.fault(
        name,
        'IP addresses such as 1.1.1.1, or with a port 127.0.0.1:5353 or [::1]:5353, separated by commas',
      );
    return items;
  }

  require(name: string, expected: string): void {
    if (this.text(name) === null) this.faults.push(`${name} is missing; expected ${expected}.`);
  }

  fault(name: string, expected: string): void {
    this.faults.push(`${name} is ${this.#shown(name)}; expected ${expected}.`);
  }

  #shown(name: string): string {
    const value = this.text(name);
    if (value === null) return 'not given';
    const hidden = SECRET_SETTINGS.includes(name) || /\/\/[^/]*@/.test(value);
    return hidden ? 'not shown here, as it may hold a secret' : `"${value}"`;
  }
}

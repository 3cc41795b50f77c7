import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';

export type Role = 'auth' | 'api' | 'status' | 'console' | 'worker';
export type HostKind = 'auth' | 'api' | 'console';
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The settings of one process: read once, validated, never changed. */
export type Config = {
  mode: 'development' | 'production';
  /** Absolute. */
  dataDir: string;
  /** Null: the embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | null;
  /** The first encrypts, all decrypt; empty: the secret file of the embedded mode. */
  secrets: readonly string[];
  roles: readonly Role[];
  /** The address to listen on. */
  host: string;
  ports: { console: number; test: { auth: number; api: number }; production: { auth: number; api: number }; internal: number; database: number };
  /** Public addresses, without a trailing slash. */
  addresses: { console: string; test: { auth: string; api: string }; production: { auth: string; api: string } };
  /** Whose `X-Forwarded-*` headers are believed. */
  trustedProxies: readonly string[];
  smtpUrl: string | null;
  mailFrom: string;
  /** Ranges that webhook and status receivers may live in although they are private. */
  webhookAllowPrivate: readonly string[];
  logLevel: LogLevel;
};

/** Every fault of a configuration, in one message. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

type Values = Readonly<Record<string, string | undefined>>;

const ROLES: readonly Role[] = ['auth', 'api', 'status', 'console', 'worker'];
const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const KNOWN = [
  'LATCHKEY_CONFIG',
  'LATCHKEY_CONSOLE_URL',
  'LATCHKEY_DATA_DIR',
  'LATCHKEY_HOST',
  'LATCHKEY_LOG_LEVEL',
  'LATCHKEY_MAIL_FROM',
  'LATCHKEY_MODE',
  'LATCHKEY_PORT_BASE',
  'LATCHKEY_PRODUCTION_API_URL',
  'LATCHKEY_PRODUCTION_AUTH_URL',
  'LATCHKEY_ROLES',
  'LATCHKEY_SECRET',
  'LATCHKEY_SMTP_URL',
  'LATCHKEY_TEST_API_URL',
  'LATCHKEY_TEST_AUTH_URL',
  'LATCHKEY_TRUSTED_PROXIES',
  'LATCHKEY_WEBHOOK_ALLOW_PRIVATE',
];
/** The highest port in use is the base plus 91. */
const HIGHEST_BASE = 65_535 - 91;

/** Collects faults instead of stopping at the first. */
class Reader {
  readonly faults: string[] = [];
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  text(name: string): string | null {
    const value = this.#values[name]?.trim();
    return value ? value : null;
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === null) return fallback;
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) this.fault(name, value, `one of ${choices.join(', ')}`);
    return chosen ?? fallback;
  }

  list(name: string): string[] {
    return (this.text(name) ?? '').split(',').map((item) => item.trim()).filter(Boolean);
  }

  integer(name: string, range: { from: number; to: number; fallback: number }): number {
    const value = this.text(name);
    if (value === null) return range.fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= range.from && number <= range.to) return number;
    this.fault(name, value, `a whole number from ${range.from} to ${range.to}`);
    return range.fallback;
  }

  url(name: string, fallback: string, protocols: readonly string[]): string {
    const value = this.text(name);
    if (value === null) return fallback;
    const url = URL.parse(value);
    if (!url || !protocols.includes(url.protocol) || url.username || url.pathname !== '/' || url.search || url.hash) {
      this.fault(name, value, `an address such as ${protocols[0]}//auth.example.com, without path or credentials`);
      return fallback;
    }
    return url.origin;
  }

  ranges(name: string): string[] {
    const items = this.list(name);
    for (const item of items) if (!ipaddr.isValid(item) && !ipaddr.isValidCIDR(item)) this.fault(name, item, 'IP addresses or ranges such as 10.0.0.0/8, separated by commas');
    return items;
  }

  fault(name: string, received: string, expected: string): void {
    this.faults.push(`${name} is "${received}"; expected ${expected}.`);
  }
}

/**
 * Reads the configuration from environment variables and an optional JSON file of the same names (`LATCHKEY_CONFIG`); the
 * environment wins. @param overrides what the command line says, strongest of all
 * @throws ConfigError that lists every fault
 */
export function loadConfig(environment: Values = process.env, overrides: Values = {}): Config {
  const given = { ...environment, ...overrides };
  const reader = new Reader({ ...readFile(given['LATCHKEY_CONFIG']), ...definedOnly(given) });
  reader.faults.push(...unknownNames(environment));
  const mode = reader.choice('LATCHKEY_MODE', ['development', 'production'], 'development');
  const ports = portsFrom(reader.integer('LATCHKEY_PORT_BASE', { from: 1, to: HIGHEST_BASE, fallback: 4000 }));
  const config: Config = {
    mode,
    dataDir: resolve(reader.text('LATCHKEY_DATA_DIR') ?? '.latchkey'),
    databaseUrl: databaseUrl(reader),
    secrets: secrets(reader),
    roles: roles(reader),
    host: reader.text('LATCHKEY_HOST') ?? (mode === 'development' ? '127.0.0.1' : '0.0.0.0'),
    ports,
    addresses: addresses(reader, ports),
    trustedProxies: reader.ranges('LATCHKEY_TRUSTED_PROXIES'),
    smtpUrl: smtpUrl(reader),
    mailFrom: reader.text('LATCHKEY_MAIL_FROM') ?? 'Latchkey <no-reply@localhost>',
    webhookAllowPrivate: reader.ranges('LATCHKEY_WEBHOOK_ALLOW_PRIVATE'),
    logLevel: reader.choice('LATCHKEY_LOG_LEVEL', LOG_LEVELS, mode === 'development' ? 'warn' : 'info'),
  };
  if (mode === 'production') reader.faults.push(...productionFaults(config));
  if (config.databaseUrl !== null && config.secrets.length === 0) reader.faults.push('LATCHKEY_SECRET is missing; with DATABASE_URL it is required. Make one with: openssl rand -base64 32');
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return config;
}

function definedOnly(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}

function readFile(path: string | undefined): Values {
  if (!path) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const faults = Object.keys(Object(content)).filter((name) => name !== 'DATABASE_URL' && !KNOWN.includes(name));
    if (faults.length > 0) throw new Error(`unknown names ${faults.join(', ')}`);
    return Object.fromEntries(Object.entries(Object(content)).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    throw new ConfigError([`LATCHKEY_CONFIG is "${path}"; expected a JSON file of setting names and values: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

function unknownNames(environment: Values): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('LATCHKEY_') && !KNOWN.includes(name) && !name.startsWith('LATCHKEY_TEST_DATABASE'))
    .map((name) => `${name} is not a setting; known are ${KNOWN.join(', ')}.`);
}

function portsFrom(base: number): Config['ports'] {
  return { console: base, test: { auth: base + 1, api: base + 2 }, production: { auth: base + 11, api: base + 12 }, internal: base + 90, database: base + 91 };
}

function addresses(reader: Reader, ports: Config['ports']): Config['addresses'] {
  const address = (name: string, port: number) => reader.url(name, `http://localhost:${port}`, ['https:', 'http:']);
  return {
    console: address('LATCHKEY_CONSOLE_URL', ports.console),
    test: { auth: address('LATCHKEY_TEST_AUTH_URL', ports.test.auth), api: address('LATCHKEY_TEST_API_URL', ports.test.api) },
    production: { auth: address('LATCHKEY_PRODUCTION_AUTH_URL', ports.production.auth), api: address('LATCHKEY_PRODUCTION_API_URL', ports.production.api) },
  };
}

function databaseUrl(reader: Reader): string | null {
  const value = reader.text('DATABASE_URL');
  if (value === null || /^postgres(ql)?:\/\//.test(value)) return value;
  // Not echoed: it may hold a password.
  reader.faults.push('DATABASE_URL is not a PostgreSQL address; expected postgres://user:password@host:5432/database, or nothing for the embedded server.');
  return null;
}

function secrets(reader: Reader): string[] {
  const found = reader.list('LATCHKEY_SECRET');
  const short = found.filter((secret) => secret.length < 32).length;
  if (short > 0) reader.faults.push(`LATCHKEY_SECRET has ${short} secret(s) shorter than 32 characters. Make one with: openssl rand -base64 32`);
  return found;
}

function roles(reader: Reader): Role[] {
  const named = reader.list('LATCHKEY_ROLES');
  const known = ROLES.filter((role) => named.includes(role));
  const unknown = named.filter((name) => !ROLES.some((role) => role === name));
  if (unknown.length > 0) reader.fault('LATCHKEY_ROLES', unknown.join(','), `a list out of ${ROLES.join(', ')}`);
  return named.length === 0 ? [...ROLES] : known;
}

function smtpUrl(reader: Reader): string | null {
  const value = reader.text('LATCHKEY_SMTP_URL');
  if (value === null || /^smtps?:\/\/[^/]+/.test(value)) return value;
  reader.faults.push('LATCHKEY_SMTP_URL is not a mail server address; expected smtp://user:password@mail.example.com:587 or smtps://….');
  return null;
}

function productionFaults(config: Config): string[] {
  const faults: string[] = [];
  if (config.databaseUrl === null) faults.push('DATABASE_URL is missing; production mode needs a PostgreSQL server of your own.');
  if (config.smtpUrl === null) faults.push('LATCHKEY_SMTP_URL is missing; production mode needs a mail server.');
  for (const [name, address] of Object.entries({ LATCHKEY_PRODUCTION_AUTH_URL: config.addresses.production.auth, LATCHKEY_PRODUCTION_API_URL: config.addresses.production.api, LATCHKEY_CONSOLE_URL: config.addresses.console })) {
    const { protocol, hostname } = new URL(address);
    if (protocol !== 'https:' && hostname !== 'localhost' && hostname !== '127.0.0.1') faults.push(`${name} is "${address}"; production mode needs https.`);
  }
  return faults;
}

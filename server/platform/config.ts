import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type BackupConfig, readBackup } from './config-backup.ts';
import { type ChatHost, readChatHosts } from './config-chat.ts';
import { type CountryConfig, readCountry } from './config-country.ts';
import { ConfigReader, readSettings, type Values } from './config-reader.ts';
import { parseMailbox, parseSender, type Sender } from './email-address.ts';
import { readSmsTiers, type SmsTier, shippedTiers } from './sms-tiers.ts';
import { StartError } from './start-error.ts';

export type Role = 'auth' | 'api' | 'status' | 'console' | 'worker';
export type HostKind = 'auth' | 'api' | 'console';
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The settings of one process: read and validated once, then immutable. */
export type Config = {
  mode: 'development' | 'production';
  /** An absolute path. */
  dataDir: string;
  /** Null: the embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | null;
  /** The database without a pooler in between, for connections that hold a session. Null: the same as `databaseUrl`. */
  databaseDirectUrl: string | null;
  /** The number of connections for requests, and how long a statement may run and wait for a lock. */
  database: { pool: number; statementMs: number; lockMs: number };
  /** The first encrypts, all of them decrypt. Empty: the secret file of the embedded mode is used. */
  secrets: readonly string[];
  roles: readonly Role[];
  /** The address to listen on. */
  host: string;
  /** The address on which health and metrics listen. */
  internalHost: string;
  /** How long the hosts keep serving after SIGTERM, while the process reports that it is not ready. */
  drainMs: number;
  ports: {
    console: number;
    test: { auth: number; api: number };
    production: { auth: number; api: number };
    internal: number;
    database: number;
  };
  /** Public addresses, without a trailing slash. */
  addresses: {
    console: string;
    /** The address of the status page; the console's address by default. */
    status: string;
    test: { auth: string; api: string };
    production: { auth: string; api: string };
  };
  /** The proxies whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: readonly string[];
  country: CountryConfig;
  smtpUrl: string | null;
  mailFrom: Sender;
  /** Signs outgoing mail (RFC 6376). Null: Latchkey does not sign. */
  dkim: { domain: string; selector: string; keyFile: string } | null;
  /** SMS carriers in the order they are tried; empty: the dev inbox. */
  smsUrls: readonly string[];
  /** The SMS tiers that projects can subscribe to. */
  smsTiers: readonly SmsTier[];
  /** The payment provider for subscriptions. Null: statements are paid by hand. */
  paymentsUrl: string | null;
  /** A server of the Pwned Passwords range API. Null: the built-in list only. */
  breachedPasswordsUrl: string | null;
  /** Counts limits instead of PostgreSQL. It is never a system of record. */
  valkeyUrl: string | null;
  /** Private address ranges that webhooks and status notifications may be sent to. */
  webhookAllowPrivate: readonly string[];
  /** Hosts that take the messages of a chat service beside its own, for subscriptions to the status. */
  statusChatHosts: readonly ChatHost[];
  /** Resolvers for domain verification. Empty: the resolvers of the machine. */
  dnsServers: readonly string[];
  /** Certificates for the hosts of projects (RFC 8555), and the ports that serve them. Null: a proxy terminates TLS. */
  acme: { directory: string; email: string; httpsPort: number; httpPort: number } | null;
  backup: BackupConfig;
  logLevel: LogLevel;
  /** How traces are sent over OTLP. Null: there are none. */
  traces: 'http/protobuf' | 'http/json' | null;
};

/** All faults of a configuration, in one message. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

const ROLES: readonly Role[] = ['auth', 'api', 'status', 'console', 'worker'];
const LOG_FORMAT = 'LATCHKEY_LOG_FORMAT';
const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
/** The highest port in use is the base plus 91. */
const HIGHEST_BASE = 65_535 - 91;
const HOST_NAME = /^(?=.*[a-z])[a-z0-9-]+(\.[a-z0-9-]+)*$/i;
const MAKE_SECRET = 'Make one with: openssl rand -base64 32';

/**
 * Reads the configuration from environment variables and an optional JSON file of the same names (`LATCHKEY_CONFIG`).
 * The environment takes precedence over the file.
 * @param overrides settings of the command line, which take precedence over both
 * @throws ConfigError listing every fault
 */
export function loadConfig(environment: Values = process.env, overrides: Values = {}): Config {
  const reader = new ConfigReader(readSettings(environment, overrides));
  const mode = reader.choice('LATCHKEY_MODE', ['development', 'production'], 'development');
  const ports = portsFrom(reader.integer('LATCHKEY_PORT_BASE', { from: 1, to: HIGHEST_BASE, fallback: 4000 }));
  const roles = reader.choices('LATCHKEY_ROLES', ROLES);
  const config: Config = {
    mode,
    dataDir: resolve(reader.text('LATCHKEY_DATA_DIR') ?? '.latchkey'),
    databaseUrl: reader.database('DATABASE_URL'),
    databaseDirectUrl: directUrl(reader),
    database: database(reader, roles),
    secrets: secrets(reader),
    roles,
    host: host(reader, 'LATCHKEY_HOST', mode === 'development' ? '127.0.0.1' : '0.0.0.0'),
    internalHost: host(reader, 'LATCHKEY_INTERNAL_HOST', '127.0.0.1'),
    drainMs: seconds(reader, 'LATCHKEY_DRAIN_SECONDS', { from: 0, to: 600, fallback: mode === 'development' ? 0 : 5 }),
    ports,
    addresses: addresses(reader, ports),
    trustedProxies: reader.ranges('LATCHKEY_TRUSTED_PROXIES'),
    country: readCountry(reader),
    smtpUrl: reader.connection('LATCHKEY_SMTP_URL', ['smtp:', 'smtps:'], 'smtp://user:password@mail.example.com:587'),
    mailFrom: mailFrom(reader),
    dkim: dkim(reader),
    smsUrls: smsUrls(reader),
    smsTiers: smsTiers(reader),
    paymentsUrl: paymentsUrl(reader),
    breachedPasswordsUrl: reader.connection(
      'LATCHKEY_BREACHED_PASSWORDS_URL',
      ['https:', 'http:'],
      'https://api.pwnedpasswords.com/range/',
    ),
    valkeyUrl: reader.connection('VALKEY_URL', ['redis:', 'rediss:', 'valkey:', 'valkeys:'], 'valkey://host:6379'),
    webhookAllowPrivate: reader.ranges('LATCHKEY_WEBHOOK_ALLOW_PRIVATE'),
    statusChatHosts: readChatHosts(reader),
    dnsServers: reader.servers('LATCHKEY_DNS_SERVERS'),
    acme: acme(reader),
    backup: readBackup(reader),
    traces: traces(reader, environment),
    logLevel: reader.choice('LATCHKEY_LOG_LEVEL', LOG_LEVELS, mode === 'development' ? 'warn' : 'info'),
  };
  reader.choice(LOG_FORMAT, ['text', 'json'], 'text');
  if (mode === 'production') checkProduction(reader, config);
  if (mode === 'production' || reader.text('DATABASE_URL') !== null)
    reader.require(
      'LATCHKEY_SECRET',
      `a secret of at least 32 characters in production mode and with DATABASE_URL. ${MAKE_SECRET}`,
    );
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return config;
}

/** Whether processes print JSON lines. It is known also when the configuration has faults. */
export function printsJson(overrides: Values): boolean {
  return new ConfigReader(readSettings(process.env, overrides)).text(LOG_FORMAT) === 'json';
}

/** The environment of this process: references in files of a project's configuration name its variables. */
export function environmentVariables(): Readonly<Values> {
  return process.env;
}

/** The environment of a child process: `changes`, and no settings of Latchkey, because they hold secrets. */
export function environmentOfChild(changes: Values): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:LATCHKEY|DATABASE|VALKEY)_/.test(name));
  return { ...Object.fromEntries(others), ...changes };
}

/** The standard variables of OpenTelemetry. Its SDK reads the others from the environment too, never from the file. */
function traces(reader: ConfigReader, environment: Values): Config['traces'] {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? value('OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = value('OTEL_TRACES_EXPORTER') ?? (endpoint === undefined ? 'none' : 'otlp');
  if (exporter === 'none' || value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  if (exporter !== 'otlp') reader.fault('OTEL_TRACES_EXPORTER', 'otlp or none');
  const name = 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  const protocol = value(name) ?? value('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  reader.fault(value(name) === undefined ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : name, 'http/protobuf or http/json');
  return null;
}

function directUrl(reader: ConfigReader): string | null {
  if (reader.text('DATABASE_DIRECT_URL') !== null)
    reader.require('DATABASE_URL', 'the address of the same database through a pooler, with DATABASE_DIRECT_URL');
  return reader.database('DATABASE_DIRECT_URL');
}

/** Connections of a process by its roles: by default, a PostgreSQL allows a hundred for all processes together. */
function database(reader: ConfigReader, roles: readonly Role[]): Config['database'] {
  const serves = roles.some((role) => role === 'auth' || role === 'api' || role === 'console');
  const fallback = serves ? 10 : roles.includes('worker') ? 8 : 4;
  return {
    pool: reader.integer('LATCHKEY_DATABASE_POOL', { from: 4, to: 1000, fallback }),
    statementMs: seconds(reader, 'LATCHKEY_DATABASE_STATEMENT_SECONDS', { from: 1, to: 3600, fallback: 10 }),
    lockMs: seconds(reader, 'LATCHKEY_DATABASE_LOCK_SECONDS', { from: 1, to: 3600, fallback: 3 }),
  };
}

/** A setting in seconds, as milliseconds. */
function seconds(reader: ConfigReader, name: string, range: { from: number; to: number; fallback: number }): number {
  return reader.integer(name, range) * 1000;
}

function portsFrom(base: number): Config['ports'] {
  return {
    console: base,
    test: { auth: base + 1, api: base + 2 },
    production: { auth: base + 11, api: base + 12 },
    internal: base + 90,
    database: base + 91,
  };
}

function addresses(reader: ConfigReader, ports: Config['ports']): Config['addresses'] {
  const taken = new Map<string, string>();
  const address = (name: string, port: number): string => {
    const url = reader.address(name, `http://localhost:${port}`);
    const other = taken.get(url);
    if (other !== undefined)
      reader.fault(
        name,
        `an address of its own, other than that of ${other}: the address decides which environment a request belongs to`,
      );
    taken.set(url, name);
    return url;
  };
  const console = address('LATCHKEY_CONSOLE_URL', ports.console);
  return {
    console,
    status: reader.text('LATCHKEY_STATUS_URL') === null ? console : address('LATCHKEY_STATUS_URL', ports.console),
    test: {
      auth: address('LATCHKEY_TEST_AUTH_URL', ports.test.auth),
      api: address('LATCHKEY_TEST_API_URL', ports.test.api),
    },
    production: {
      auth: address('LATCHKEY_PRODUCTION_AUTH_URL', ports.production.auth),
      api: address('LATCHKEY_PRODUCTION_API_URL', ports.production.api),
    },
  };
}

function secrets(reader: ConfigReader): string[] {
  const found = reader.list('LATCHKEY_SECRET');
  const short = found.filter((secret) => secret.length < 32).length;
  if (short > 0)
    reader.fault(
      'LATCHKEY_SECRET',
      `secrets of at least 32 characters each, separated by commas; ${short} of ${found.length} ${short === 1 ? 'is' : 'are'} shorter. ${MAKE_SECRET}`,
    );
  return found;
}

function host(reader: ConfigReader, name: string, fallback: string): string {
  const value = reader.text(name) ?? fallback;
  if (isIP(value) === 0 && !HOST_NAME.test(value))
    reader.fault(
      name,
      'an IP address or host name of this machine, without a port, such as 127.0.0.1, or 0.0.0.0 for all',
    );
  return value;
}

function mailFrom(reader: ConfigReader): Sender {
  const own = { name: 'Latchkey', address: 'no-reply@localhost' };
  const value = reader.text('LATCHKEY_MAIL_FROM');
  const sender = value === null ? own : parseSender(value);
  if (!sender) reader.fault('LATCHKEY_MAIL_FROM', 'a mail address, such as Shop <no-reply@example.com>');
  return sender ?? own;
}

function dkim(reader: ConfigReader): Config['dkim'] {
  const value = reader.text('LATCHKEY_MAIL_DKIM');
  if (value === null) return null;
  const [, domain, selector, keyFile] = /^([^:]+):([^:]+):(.+)$/.exec(value) ?? [];
  if (domain && selector && keyFile) return { domain, selector, keyFile: resolve(keyFile) };
  reader.fault('LATCHKEY_MAIL_DKIM', 'domain:selector:path of the private key, such as example.com:mail:/etc/dkim.pem');
  return null;
}

function acme(reader: ConfigReader): Config['acme'] {
  const directory = reader.connection(
    'LATCHKEY_ACME_DIRECTORY',
    ['https:', 'http:'],
    'https://acme-v02.api.letsencrypt.org/directory',
  );
  const port = (name: string, fallback: number) => reader.integer(name, { from: 1, to: 65_535, fallback });
  const ports = { httpsPort: port('LATCHKEY_HTTPS_PORT', 443), httpPort: port('LATCHKEY_HTTP_PORT', 80) };
  if (directory === null) return null;
  const email = parseMailbox(reader.text('LATCHKEY_ACME_EMAIL') ?? '');
  if (email === null)
    reader.fault('LATCHKEY_ACME_EMAIL', 'where the certificate authority writes to, such as admin@example.com');
  return { directory, email: email ?? '', ...ports };
}

const SMS_PROTOCOLS = ['twilio:', 'vonage:', 'https:', 'http:'];

/** SMS carriers. `insecure` in the query permits a carrier's protocol without TLS, for local tests. */
function smsUrls(reader: ConfigReader): string[] {
  const found = reader.list('LATCHKEY_SMS_URL');
  const wrong = found.filter((url) => !URL.canParse(url) || !SMS_PROTOCOLS.includes(new URL(url).protocol));
  if (wrong.length > 0)
    reader.fault(
      'LATCHKEY_SMS_URL',
      'carriers separated by commas, tried in order: twilio://ACCOUNT:TOKEN@api.twilio.com?from=+15550100, vonage://KEY:SECRET@rest.nexmo.com?from=Shop, or https://TOKEN@sms.example.com/send?from=Shop',
    );
  return found;
}

function smsTiers(reader: ConfigReader): readonly SmsTier[] {
  const value = reader.text('LATCHKEY_SMS_TIERS');
  if (value === null) return shippedTiers;
  const read = readSmsTiers(value);
  if ('tiers' in read) return read.tiers;
  reader.fault(
    'LATCHKEY_SMS_TIERS',
    `a JSON array of tiers, or the path of a file that holds one (docs/sms.md shows one): ${read.fault}`,
  );
  return shippedTiers;
}

/** Reads the address of the payment provider. It holds both secrets, so that none can be configured without the other. */
function paymentsUrl(reader: ConfigReader): string | null {
  const example = 'stripe://SECRET_KEY@api.stripe.com?webhookSecret=whsec_…';
  const value = reader.connection('LATCHKEY_PAYMENTS_URL', ['stripe:'], example);
  if (value === null) return null;
  const url = new URL(value);
  if (url.username !== '' && url.searchParams.get('webhookSecret')) return value;
  reader.fault('LATCHKEY_PAYMENTS_URL', `an address with the secret key and the webhook secret, such as ${example}`);
  return null;
}

function checkProduction(reader: ConfigReader, { addresses: { console, status, production } }: Config): void {
  reader.require(
    'DATABASE_URL',
    'in production mode a PostgreSQL server of your own, such as postgres://user:password@host:5432/database',
  );
  reader.require(
    'LATCHKEY_SMTP_URL',
    'in production mode a mail server, such as smtp://user:password@mail.example.com:587',
  );
  const insecure = {
    LATCHKEY_PRODUCTION_AUTH_URL: production.auth,
    LATCHKEY_PRODUCTION_API_URL: production.api,
    LATCHKEY_CONSOLE_URL: console,
    ...(status !== console && { LATCHKEY_STATUS_URL: status }),
  };
  for (const [name, address] of Object.entries(insecure)) {
    const { protocol, hostname } = new URL(address);
    if (protocol !== 'https:' && !isLoopback(hostname))
      reader.fault(name, 'an https address in production mode (http only on this machine itself, for trying out)');
  }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

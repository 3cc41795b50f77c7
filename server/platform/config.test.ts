import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigError, environmentOfChild, loadConfig } from './config.ts';
import { shippedTiers } from './sms-tiers.ts';

const SECRET = 'a secret of the tests that is long enough';
const PRODUCTION = {
  LATCHKEY_MODE: 'production',
  DATABASE_URL: 'postgres://latchkey:pw@db.example.com/latchkey',
  LATCHKEY_SECRET: SECRET,
  LATCHKEY_SMTP_URL: 'smtps://mail.example.com',
  LATCHKEY_CONSOLE_URL: 'https://console.example.com',
  LATCHKEY_PRODUCTION_AUTH_URL: 'https://auth.example.com',
  LATCHKEY_PRODUCTION_API_URL: 'https://api.example.com/',
};

function faultsOf(environment: Record<string, string>, overrides: Record<string, string> = {}): readonly string[] {
  try {
    loadConfig(environment, overrides);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    for (const fault of error.faults) assert.ok(error.message.includes(fault));
    return error.faults;
  }
  return [];
}

/** The only fault of an invalid configuration. */
function faultOf(environment: Record<string, string>, overrides: Record<string, string> = {}): string {
  const faults = faultsOf(environment, overrides);
  assert.equal(faults.length, 1, faults.join('\n'));
  return faults[0] ?? '';
}

describe('the configuration from the environment', () => {
  test('without settings, everything runs on this machine with the embedded database', () => {
    assert.deepEqual(loadConfig({ PATH: '/bin', OTEL_SERVICE_NAME: 'x' }), {
      mode: 'development',
      dataDir: resolve('.latchkey'),
      country: { header: null, file: null },
      databaseUrl: null,
      databaseDirectUrl: null,
      database: { pool: 10, statementMs: 10_000, lockMs: 3_000 },
      secrets: [],
      roles: ['auth', 'api', 'status', 'console', 'worker'],
      host: '127.0.0.1',
      internalHost: '127.0.0.1',
      drainMs: 0,
      ports: {
        console: 4000,
        test: { auth: 4001, api: 4002 },
        production: { auth: 4011, api: 4012 },
        internal: 4090,
        database: 4091,
      },
      addresses: {
        console: 'http://localhost:4000',
        status: 'http://localhost:4000',
        test: { auth: 'http://localhost:4001', api: 'http://localhost:4002' },
        production: { auth: 'http://localhost:4011', api: 'http://localhost:4012' },
      },
      trustedProxies: [],
      smtpUrl: null,
      mailFrom: { name: 'Latchkey', address: 'no-reply@localhost' },
      dkim: null,
      smsUrls: [],
      smsTiers: shippedTiers,
      paymentsUrl: null,
      backup: { keys: [], to: null, schedule: null, verifySchedule: null, keep: 30, keepDays: null },
      breachedPasswordsUrl: null,
      valkeyUrl: null,
      webhookAllowPrivate: [],
      statusChatHosts: [],
      dnsServers: [],
      acme: null,
      traces: null,
      logLevel: 'warn',
    });
  });

  test('production mode listens on all interfaces, logs more, and takes a whole configuration', () => {
    const config = loadConfig({
      ...PRODUCTION,
      LATCHKEY_SECRET: `${SECRET} 2, ${SECRET}`,
      LATCHKEY_ROLES: 'worker, auth',
      LATCHKEY_TRUSTED_PROXIES: '10.0.0.1,fd00::/8',
      LATCHKEY_DNS_SERVERS: '1.1.1.1, 127.0.0.1:5353, 2606:4700::1111, [::1]:5353',
    });
    assert.deepEqual([config.host, config.logLevel], ['0.0.0.0', 'info']);
    assert.deepEqual(config.secrets, [`${SECRET} 2`, SECRET]);
    assert.deepEqual(config.roles, ['auth', 'worker']);
    assert.deepEqual(config.trustedProxies, ['10.0.0.1', 'fd00::/8']);
    assert.deepEqual(config.dnsServers, ['1.1.1.1', '127.0.0.1:5353', '2606:4700::1111', '[::1]:5353']);
    assert.equal(config.addresses.production.api, 'https://api.example.com');
  });

  test('all faults are listed at once: the name, the received value, the expected value', () => {
    const faults = faultsOf({
      LATCHKEY_MODE: 'prod',
      LATCHKEY_PORT_BASE: '65500',
      LATCHKEY_HOST: '0.0.0.0:80',
      LATCHKEY_ROLES: 'auth,queue',
      LATCHKEY_LOG_LEVEL: 'loud',
      LATCHKEY_TRUSTED_PROXIES: '10.0.0.0/40',
      LATCHKEY_WEBHOOK_ALLOW_PRIVATE: 'everything',
      LATCHKEY_TEST_API_URL: 'https://api.example.com/v1',
      LATCHKEY_CONSOLE_URL: 'console.example.com',
      LATCHKEY_MAIL_FROM: 'nobody',
      LATCHKEY_DNS_SERVERS: 'dns.example.com',
      LATCHKEY_ACME_DIRECTORY: 'https://authority.example/directory',
      LATCHKEY_ACME_EMAIL: 'nobody',
      LATCHKEY_HTTPS_PORT: '0',
    });
    assert.deepEqual(
      faults.map((fault) => /^(\w+) is "(.+?)"; expected .+\.$/.exec(fault)?.slice(1)),
      [
        ['LATCHKEY_MODE', 'prod'],
        ['LATCHKEY_PORT_BASE', '65500'],
        ['LATCHKEY_ROLES', 'auth,queue'],
        ['LATCHKEY_HOST', '0.0.0.0:80'],
        ['LATCHKEY_CONSOLE_URL', 'console.example.com'],
        ['LATCHKEY_TEST_API_URL', 'https://api.example.com/v1'],
        ['LATCHKEY_TRUSTED_PROXIES', '10.0.0.0/40'],
        ['LATCHKEY_MAIL_FROM', 'nobody'],
        ['LATCHKEY_WEBHOOK_ALLOW_PRIVATE', 'everything'],
        ['LATCHKEY_DNS_SERVERS', 'dns.example.com'],
        ['LATCHKEY_HTTPS_PORT', '0'],
        ['LATCHKEY_ACME_EMAIL', 'nobody'],
        ['LATCHKEY_LOG_LEVEL', 'loud'],
      ],
    );
  });

  test('an unknown name is a fault that suggests the nearest setting', () => {
    assert.match(
      faultOf({ LATCHKEY_PROT_BASE: '5000' }),
      /^LATCHKEY_PROT_BASE is not a setting\. Did you mean LATCHKEY_PORT_BASE\?$/,
    );
    assert.match(faultOf({ LATCHKEY_FAVOURITE_COLOUR: 'blue' }), /Remove it; known are .*LATCHKEY_SECRET/);
  });

  test('no fault contains a secret', () => {
    const faults = faultsOf({
      LATCHKEY_SECRET: 'hunter2',
      DATABASE_URL: 'mysql://root:hunter2@localhost/x',
      LATCHKEY_SMTP_URL: 'http://me:hunter2@localhost',
      LATCHKEY_CONSOLE_URL: 'https://me:hunter2@console.example.com',
    });
    assert.equal(faults.length, 4);
    assert.ok(!faults.join().includes('hunter2'));
  });

  test('production mode lists every missing setting', () => {
    const faults = faultsOf({ LATCHKEY_MODE: 'production', LATCHKEY_PRODUCTION_AUTH_URL: 'http://auth.example.com' });
    assert.deepEqual(
      faults.map((fault) => fault.split(';')[0]),
      [
        'DATABASE_URL is missing',
        'LATCHKEY_SMTP_URL is missing',
        'LATCHKEY_PRODUCTION_AUTH_URL is "http://auth.example.com"',
        'LATCHKEY_SECRET is missing',
      ],
    );
    for (const loopback of ['http://localhost:8080', 'http://127.0.0.2', 'http://[::1]:80'])
      assert.deepEqual(faultsOf({ ...PRODUCTION, LATCHKEY_PRODUCTION_AUTH_URL: loopback }), [], loopback);
    assert.match(faultOf({ ...PRODUCTION, LATCHKEY_PRODUCTION_AUTH_URL: 'http://127.example.com' }), /https/);
  });

  test('an external database needs a secret', () => {
    assert.match(faultOf({ DATABASE_URL: PRODUCTION.DATABASE_URL }), /^LATCHKEY_SECRET is missing; .*openssl rand/);
  });

  test('the number of connections depends on the roles, and a pooler needs a second address', () => {
    const poolOf = (roles: string) => loadConfig({ LATCHKEY_ROLES: roles }).database.pool;
    assert.deepEqual(['auth,worker', 'worker', 'status', 'status,worker'].map(poolOf), [10, 8, 4, 8]);
    assert.match(faultOf({ LATCHKEY_DATABASE_POOL: '3' }), /from 4 to 1000/);
    assert.match(faultOf({ DATABASE_DIRECT_URL: PRODUCTION.DATABASE_URL }), /^DATABASE_URL is missing/);
    const several = 'postgres://me:hunter2@one:5432,two:5432/x?sslmode=prefer';
    const fault = faultOf({ DATABASE_URL: several, LATCHKEY_SECRET: SECRET });
    assert.match(fault, /^DATABASE_URL is not shown here.*falls back to plain text/);
    assert.ok(!fault.includes('hunter2'));
  });

  test('the variables of a service are not settings, and do not hide a typing error', () => {
    const links = {
      LATCHKEY_SERVICE_HOST: '10.0.0.1',
      LATCHKEY_SERVICE_PORT: '80',
      LATCHKEY_SERVICE_PORT_HTTP: '80',
      LATCHKEY_PORT: 'tcp://10.0.0.1:80',
      LATCHKEY_PORT_80_TCP: 'tcp://10.0.0.1:80',
      LATCHKEY_PORT_80_TCP_ADDR: '10.0.0.1',
      LATCHKEY_AUTH_SERVICE_HOST: '10.0.0.2',
      LATCHKEY_AUTH_PORT: 'tcp://10.0.0.2:80',
      LATCHKEY_AUTH_PORT_80_TCP_PROTO: 'tcp',
    };
    assert.deepEqual(faultsOf(links), []);
    assert.match(faultOf({ ...links, LATCHKEY_HTTPS_PRT: '1' }), /Did you mean LATCHKEY_HTTPS_PORT/);
    assert.match(faultOf({ LATCHKEY_PORT: '4000' }), /is not a setting/);
  });

  test('scheduled backups need a place, a place needs a key, and verifying needs a secret key', () => {
    const shared = 'age1hhmcdul89mqxvgx5d8tmc0yfmgr3cc9yxq28zf77gth0jt7uvqasdypqvk';
    const secret = 'AGE-SECRET-KEY-1WVEGAV6WY533TVKFLN88XHVL64KLXGTJHDHSDAYKUENKU7MT2QCQFNNXPX';
    const place = 's3://key:secret@storage.example.com/bucket/prefix?region=eu-central-1';
    const whole = {
      LATCHKEY_BACKUP_TO: place,
      LATCHKEY_BACKUP_KEY: `# public key: ${shared}\n${secret}\n`,
      LATCHKEY_BACKUP_SCHEDULE: '0 3 * * *',
      LATCHKEY_BACKUP_VERIFY_SCHEDULE: '30 4 * * 0',
      LATCHKEY_BACKUP_KEEP: '7',
      LATCHKEY_BACKUP_KEEP_DAYS: '14',
    };
    assert.deepEqual(loadConfig(whole).backup, {
      keys: [secret],
      to: place,
      schedule: '0 3 * * *',
      verifySchedule: '30 4 * * 0',
      keep: 7,
      keepDays: 14,
    });
    assert.match(faultOf({ LATCHKEY_BACKUP_TO: '/backups' }), /^LATCHKEY_BACKUP_KEY is missing; .*latchkey backup-key/);
    assert.match(faultOf({ LATCHKEY_BACKUP_SCHEDULE: '0 3 * * *' }), /^LATCHKEY_BACKUP_TO is missing/);
    assert.match(faultOf({ ...whole, LATCHKEY_BACKUP_KEY: shared }), /^LATCHKEY_BACKUP_KEY .* a secret key/);
    assert.match(faultOf({ ...whole, LATCHKEY_BACKUP_SCHEDULE: 'every night' }), /five fields, in UTC/);
    for (const wrong of ['backups', 's3://storage.example.com/bucket', 's3://key:secret@storage.example.com/'])
      assert.match(faultOf({ ...whole, LATCHKEY_BACKUP_TO: wrong }), /absolute path of a folder, or s3:/);
    const unreadable = faultOf({ LATCHKEY_BACKUP_KEY: 'AGE-SECRET-KEY-lower' });
    assert.ok(!unreadable.includes('lower'), unreadable);
  });

  test('two hosts cannot share an address', () => {
    assert.match(
      faultOf({ LATCHKEY_PRODUCTION_AUTH_URL: 'HTTP://LOCALHOST:4001/' }),
      /other than that of LATCHKEY_TEST_AUTH_URL/,
    );
  });
});

test('child processes do not inherit the secrets of Latchkey', (t) => {
  process.env['LATCHKEY_SECRET'] = SECRET;
  t.after(() => delete process.env['LATCHKEY_SECRET']);
  const environment = environmentOfChild({ TMPDIR: '/elsewhere' });
  assert.equal(environment['PATH'], process.env['PATH']);
  assert.equal(environment['TMPDIR'], '/elsewhere');
  assert.deepEqual(
    Object.keys(environment).filter((name) => name.startsWith('LATCHKEY_') || name === 'DATABASE_URL'),
    [],
  );
});

describe('the configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-config-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = (content: string): Record<string, string> => {
    const path = join(folder, 'latchkey.json');
    writeFileSync(path, content);
    return { LATCHKEY_CONFIG: path };
  };

  test('the command line takes precedence over the environment, the environment over the file', () => {
    const environment = {
      ...file(
        '{ "LATCHKEY_PORT_BASE": 5000, "LATCHKEY_ROLES": ["auth", "api"], "LATCHKEY_LOG_LEVEL": "error", "LATCHKEY_HOST": "::1" }',
      ),
      LATCHKEY_PORT_BASE: '6000',
      LATCHKEY_ROLES: 'api',
      LATCHKEY_HOST: '',
    };
    const config = loadConfig(environment, { LATCHKEY_ROLES: 'worker', LATCHKEY_CONFIG: undefined });
    assert.deepEqual(
      [config.ports.console, config.roles, config.logLevel, config.host],
      [6000, ['worker'], 'error', '::1'],
    );
  });

  test('a secret comes from its own file, named in the environment or in the file of settings', () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, `${SECRET}\n`);
    assert.deepEqual(loadConfig({ LATCHKEY_SECRET_FILE: secret }).secrets, [SECRET]);
    const named = file(JSON.stringify({ LATCHKEY_SECRET_FILE: secret, LATCHKEY_SMTP_URL: 'smtp://mail.example.com' }));
    assert.deepEqual(loadConfig(named).secrets, [SECRET]);
    assert.deepEqual(loadConfig({ ...named, LATCHKEY_SECRET: `${SECRET} 2` }).secrets, [`${SECRET} 2`]);
    assert.match(faultOf({ LATCHKEY_SECRET: SECRET, LATCHKEY_SECRET_FILE: secret }), /^Both .* Leave one of them out/);
    assert.match(faultOf({ DATABASE_URL_FILE: join(folder, 'none') }), /^DATABASE_URL_FILE is .*ENOENT/);
    writeFileSync(secret, ' \n');
    assert.match(faultOf({ LATCHKEY_SECRET_FILE: secret }), /it is empty/);
    writeFileSync(secret, 'hunter2');
    assert.ok(!faultOf({ LATCHKEY_SECRET_FILE: secret }).includes('hunter2'));
  });

  test('its faults are reported together with those of the environment', () => {
    const faults = faultsOf({
      ...file(
        '{ "LATCHKEY_HOSTT": "x", "LATCHKEY_CONFIG": "y", "LATCHKEY_HOST": { "a": 1 }, "LATCHKEY_MODE": "test" }',
      ),
      LATCHKEY_PORT_BASE: 'x',
    });
    assert.deepEqual(
      faults.map((fault) => fault.split(' ')[0]),
      ['LATCHKEY_HOSTT', 'LATCHKEY_CONFIG', 'LATCHKEY_HOST', 'LATCHKEY_MODE', 'LATCHKEY_PORT_BASE'],
    );
  });

  test('a file that is missing or not JSON is a fault that quotes none of its content', () => {
    assert.match(faultOf({}, { LATCHKEY_CONFIG: join(folder, 'none.json') }), /ENOENT/);
    const broken = faultOf(file('{ "LATCHKEY_SECRET": "hunter2" "'));
    assert.match(broken, /not JSON at position 31/);
    assert.ok(!broken.includes('hunter2'));
    assert.match(faultOf(file('[]')), /it holds no object/);
  });
});

describe('traces', () => {
  const traces = (settings: Record<string, string>) => loadConfig(settings).traces;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

  test('are sent if the standard variables say where, in the protocol they name', () => {
    assert.equal(traces({}), null);
    assert.equal(traces(endpoint), 'http/protobuf');
    assert.equal(traces({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }), 'http/json');
    assert.equal(traces({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), null);
    assert.equal(traces({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), null);
  });

  test('a protocol or exporter that Latchkey does not have is refused', () => {
    assert.throws(() => traces({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), /OTEL_EXPORTER_OTLP_PROTOCOL/);
    assert.throws(() => traces({ OTEL_TRACES_EXPORTER: 'zipkin' }), /OTEL_TRACES_EXPORTER/);
  });
});

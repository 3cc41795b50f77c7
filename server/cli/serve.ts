import { constants } from 'node:os';
import { join } from 'node:path';
import type { Demo, Latchkey } from '#hosts';
import { type Config, loadConfig } from '#platform/config.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { type Announcer, announceFaultsOfNode, announcerFor } from './announcer.ts';
import { type Database, openDatabase } from './database.ts';
import { failing } from './failing.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs Latchkey until it is stopped by a signal. */
export async function serve(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(overrides, async () => {
    endOnSignal();
    announceFaultsOfNode(overrides);
    goOnWithoutReaders();
    const config = loadConfig(undefined, overrides);
    const announcer = announcerFor(overrides, process.stdout);
    const { say } = announcer;
    const log = createLog(config);
    say(`Starting Latchkey (${config.mode})…`);
    const loadHosts = () => import('#hosts');
    const opened = await openDatabase(config, say, loadHosts);
    const stop = () => {
      // Connections that are closing may report that the server went away; that is no news.
      log.level = 'silent';
      return opened.stop();
    };
    const database = { ...opened, stop };
    try {
      const { startLatchkey } = await loadHosts();
      const latchkey = await startLatchkey({
        config,
        databaseUrl: database.url,
        secrets: loadSecrets(config),
        log,
        progress: say,
      });
      stopOnSignal(latchkey, database, announcer);
      say(banner(config, latchkey.demo), { msg: 'Serving', roles: config.roles, addresses: config.addresses });
      // Log collectors keep lines of JSON, and the link makes its holder the owner.
      if (latchkey.setUpLink)
        say(`  Nobody owns this installation yet. Become its owner: ${latchkey.setUpLink}\n`, {
          msg: 'Nobody owns this installation yet. "latchkey admin create-owner" prints the link to become its owner.',
        });
      // Measured from the start of the process.
      say(`Ready in ${(performance.now() / 1000).toFixed(1)} s. Stop with Ctrl-C.`);
    } catch (error) {
      await database.stop();
      throw error;
    }
  });
}

/** Serves on when nobody reads what is printed any longer, such as after a restart of the log collector. */
function goOnWithoutReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/** Ends a start at once. As the first process of a container, Latchkey gets only the signals that it handles. */
function endOnSignal(): void {
  for (const signal of SIGNALS) process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

/**
 * Stops requests in progress first, then jobs, then the database. Before that, SIGTERM (sent by supervisors) gives load
 * balancers time. A second signal exits immediately.
 */
function stopOnSignal(latchkey: Latchkey, database: Database, { say, fail }: Announcer): void {
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  let stopping = false;
  const stop = (code: number, first: Promise<void> = Promise.resolve()) => {
    if (stopping) process.exit(130);
    stopping = true;
    say('Stopping…');
    first
      .then(() => latchkey.stop())
      .catch(fail)
      .then(() => database.stop())
      .then(() => {
        say('Stopped.');
        process.exit(code);
      })
      .catch((error: unknown) => {
        fail(error);
        process.exit(1);
      });
  };
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  process.on('SIGTERM', () => {
    const { drainMs } = latchkey.system.config;
    if (!stopping && drainMs > 0) say(`Not ready any longer, and serving for ${drainMs / 1000} s…`, { drainMs });
    stop(0, latchkey.drain());
  });
  database.ended
    .then(() => {
      if (stopping) return;
      fail(new StartError('The embedded PostgreSQL cannot be kept running; see postgres.log in the data folder.'));
      stop(1);
    })
    .catch(() => undefined);
}

function banner(config: Config, demo: Demo | null): string {
  const { addresses, roles } = config;
  const console = roles.includes('console') || roles.includes('status');
  const inbox = config.mode === 'development' ? `      dev inbox ${addresses.console}/dev/inbox` : '';
  const reference = [roles.includes('auth') && addresses.test.auth, roles.includes('api') && addresses.test.api];
  const lines = [
    '',
    console && `  console      ${addresses.console}${inbox}`,
    hostsLine('test', config),
    hostsLine('production', config),
    reference.some(Boolean) &&
      `  reference    ${reference
        .filter(Boolean)
        .map((address) => `${address}/reference`)
        .join(' and ')}`,
    roles.length < 5 && `  roles        ${roles.join(', ')}`,
    '',
    ...(demo ? credentials(config, demo) : []),
  ];
  return lines.filter((line) => line !== false).join('\n');
}

function hostsLine(environment: 'test' | 'production', { addresses, roles }: Config): string | false {
  const { auth, api } = addresses[environment];
  const hosts = [roles.includes('auth') && `auth ${auth}`, roles.includes('api') && `API ${api}`].filter(Boolean);
  return hosts.length > 0 && `  ${environment.padEnd(13)}${hosts.join('    ')}`;
}

/** The demo's ids and credentials as shell lines to paste. */
function credentials(config: Config, demo: Demo): string[] {
  const { test } = demo.environments;
  return [
    'A demo workspace was created. To use it from a shell:',
    '',
    `export AUTH_URL=${test.authUrl} API_URL=${test.apiUrl}`,
    `export WORKSPACE_ID=${demo.workspaceId}`,
    ...demo.projects.map(({ id, name }, index) => `export PROJECT_${index + 1}=${id}   # ${name}`),
    `export CLIENT_ID=${test.clientId}`,
    `export MANAGEMENT_CLIENT_ID=${test.managementClientId}`,
    `export MANAGEMENT_CLIENT_SECRET=${test.managementClientSecret}`,
    `export OPERATOR_EMAIL=${demo.operator.email} OPERATOR_PASSWORD=${demo.operator.password}   # ${demo.consoleUrl}/console/`,
    `export OWNER_EMAIL=${test.owner.email} OWNER_PASSWORD=${test.owner.password}`,
    '',
    `  Everything, for both environments: ${join(config.dataDir, 'demo.json')}`,
    '  Next: npx latchkey quickstart',
    '',
  ];
}

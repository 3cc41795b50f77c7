import { join } from 'node:path';
import { type Demo, startLatchkey } from '#hosts';
import { type Config, loadConfig } from '#platform/config.ts';
import { loadSecrets } from '#platform/data-dir.ts';
import { createLog } from '#platform/log.ts';
import { type Database, openDatabase } from './database.ts';
import { failing } from './failing.ts';

/** Starts Latchkey and keeps it running until it is told to stop. */
export async function serve(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(async () => {
    const began = performance.now();
    const config = loadConfig(process.env, overrides);
    const log = createLog(config);
    say(`Starting Latchkey (${config.mode})…`);
    const database = await openDatabase(config, say);
    try {
      const latchkey = await startLatchkey({ config, databaseUrl: database.url, secrets: loadSecrets(config), log, progress: say });
      stopOnSignal(latchkey.stop, database);
      say(banner(config, latchkey.demo));
      say(`Ready in ${((performance.now() - began) / 1000).toFixed(1)} s. Stop with Ctrl-C.`);
    } catch (error) {
      await database.stop();
      throw error;
    }
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** First the requests in flight, then the jobs, then the database. A second signal ends at once. */
function stopOnSignal(stopHosts: () => Promise<void>, database: Database): void {
  let stopping = false;
  const stop = (code: number) => {
    if (stopping) process.exit(130);
    stopping = true;
    say('Stopping…');
    stopHosts()
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .then(() => database.stop())
      .then(() => {
        say('Stopped.');
        process.exit(code);
      })
      .catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      });
  };
  process.on('SIGINT', () => stop(0));
  process.on('SIGTERM', () => stop(0));
  database.ended
    .then(() => {
      if (stopping) return;
      process.stderr.write('The embedded PostgreSQL has ended by itself; see postgres.log in the data folder. Start Latchkey again.\n');
      stop(1);
    })
    .catch(() => undefined);
}

function banner(config: Config, demo: Demo | null): string {
  const { addresses } = config;
  const lines = [
    '',
    `  console      ${addresses.console}${config.mode === 'development' ? `      dev inbox ${addresses.console}/dev/inbox` : ''}`,
    `  test         auth ${addresses.test.auth}    API ${addresses.test.api}`,
    `  production   auth ${addresses.production.auth}    API ${addresses.production.api}`,
    `  reference    ${addresses.test.auth}/reference and ${addresses.test.api}/reference`,
    '',
  ];
  return [...lines, ...(demo ? credentials(config, demo) : [])].join('\n');
}

/** The demo's ids and credentials as shell lines to paste. */
function credentials(config: Config, demo: Demo): string[] {
  const { test } = demo.environments;
  return [
    '  A demo workspace was made. To use it from a shell:',
    '',
    `export AUTH_URL=${test.authUrl} API_URL=${test.apiUrl}`,
    `export WORKSPACE_ID=${demo.workspaceId}`,
    ...demo.projects.map(({ id, name }, index) => `export PROJECT_${index + 1}=${id}   # ${name}`),
    `export CLIENT_ID=${test.clientId}`,
    `export MANAGEMENT_CLIENT_ID=${test.managementClientId}`,
    `export MANAGEMENT_CLIENT_SECRET=${test.managementClientSecret}`,
    `export OWNER_EMAIL=${test.owner.email} OWNER_PASSWORD=${test.owner.password}`,
    '',
    `  Everything, for both environments: ${join(config.dataDir, 'demo.json')}`,
    '  Next: npm run quickstart',
    '',
  ];
}

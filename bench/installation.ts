import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../server/platform/embedded-postgres.ts';
import { startLatchkey, stop } from './server.ts';

/** An installation that a benchmark fills: a database and one Latchkey, both in a temporary folder. */
export type Installation = {
  database: pg.Client;
  latchkey: ChildProcess;
  consoleUrl: string;
  /** The address of the API of the test environment. */
  apiUrl: string;
  workspaceId: string;
  projectId: string;
  /** Requests a management token with all permissions for the test environment. */
  managementToken: () => Promise<string>;
  /** Ends both and removes the folder. */
  end: () => Promise<void>;
};

/** Starts an installation with the demo workspace. Its process ends with the benchmark, also when that is killed. */
export async function startInstallation(portBase: number): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  // The database runs as another user where the benchmark runs as root.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'database'),
    port: 0,
    database: 'latchkey',
    progress: () => undefined,
  });
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const { child: latchkey } = await startLatchkey({
    DATABASE_URL: postgres.url,
    LATCHKEY_SECRET: 'a secret of the benchmark that is long enough',
    LATCHKEY_LOG_LEVEL: 'error',
    LATCHKEY_DATA_DIR: folder,
    LATCHKEY_PORT_BASE: String(portBase),
  });
  process.once('exit', () => latchkey.kill());
  const { consoleUrl, workspaceId, projects, environments } = JSON.parse(
    await readFile(join(folder, 'demo.json'), 'utf8'),
  );
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = environments.test;
  const projectId: string = projects[0].id;
  return {
    database,
    latchkey,
    consoleUrl,
    apiUrl: ipv4(apiUrl),
    workspaceId,
    projectId,
    managementToken: async () => {
      const response = await fetch(`${ipv4(authUrl)}/connect/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          workspaceId,
          projectId,
          environment: 'test',
          client_id: managementClientId,
          client_secret: managementClientSecret,
        }),
      });
      return Object(await response.json()).access_token;
    },
    end: async () => {
      await database.end();
      await stop(latchkey);
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** No name is looked up in a measured request. */
function ipv4(url: string): string {
  return url.replace('localhost', '127.0.0.1');
}

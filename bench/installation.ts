import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../server/platform/embedded-postgres.ts';
import { guard } from './server.ts';

/** A database of its own, in a temporary folder that is the data folder of its Latchkeys too. */
export type Installation = {
  folder: string;
  databaseUrl: string;
  /** The environment of each of its Latchkeys; the ports are chosen by the benchmark. */
  settings: Record<string, string>;
  /** Stops the database and removes the folder; its Latchkeys must have ended. */
  end: () => Promise<void>;
};

/** @param settings settings of PostgreSQL, such as `shared_buffers=1GB` */
export async function createInstallation(...settings: string[]): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  // A benchmark of root runs its database as another user, who must reach the folder.
  await chmod(folder, 0o755);
  guard({ folder });
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'database'),
    port: 0,
    database: 'latchkey',
    progress: () => undefined,
    flags: settings.flatMap((setting) => ['-c', setting]),
  });
  return {
    folder,
    databaseUrl: postgres.url,
    settings: {
      // As `npm start` connects to its own database.
      DATABASE_URL: postgres.socketUrl,
      LATCHKEY_SECRET: 'a secret of the benchmark that is long enough',
      LATCHKEY_LOG_LEVEL: 'error',
      LATCHKEY_DATA_DIR: folder,
    },
    end: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The demo workspace: what requests are sent to. All is of the test environment. */
export type Subject = {
  consoleUrl: string;
  authUrl: string;
  apiUrl: string;
  workspaceId: string;
  projectId: string;
  clientId: string;
  clientSecret: string;
  databaseUrl: string;
  projectIds: readonly string[];
  owner: { email: string; password: string };
  /** An application that people sign in to with PKCE. */
  appClientId: string;
  /** The name of the issuer's host, which requests must have. */
  issuerHost: string;
  /** The process of the server, whose processor time and memory are measured. */
  pid: number | undefined;
};

/** Reads the demo workspace, which the first start of a Latchkey makes. */
export async function readSubject({ folder, databaseUrl }: Installation, pid?: number): Promise<Subject> {
  const { consoleUrl, workspaceId, projects, environments } = JSON.parse(
    await readFile(join(folder, 'demo.json'), 'utf8'),
  );
  const { authUrl, apiUrl, clientId, managementClientId, managementClientSecret, owner } = environments.test;
  // The server listens on 127.0.0.1; looking up "localhost" for every connection would measure the resolver.
  const direct = (url: string) => url.replace('localhost', '127.0.0.1');
  return {
    consoleUrl,
    authUrl: direct(authUrl),
    apiUrl: direct(apiUrl),
    workspaceId,
    projectId: projects[0].id,
    clientId: managementClientId,
    clientSecret: managementClientSecret,
    databaseUrl,
    projectIds: projects.map(({ id }: { id: string }) => id),
    owner,
    appClientId: clientId,
    issuerHost: new URL(authUrl).host,
    pid,
  };
}

/** Requests a management token with all permissions of its application. */
export async function managementToken(subject: Subject, agent?: Agent): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    workspaceId: subject.workspaceId,
    projectId: subject.projectId,
    environment: 'test',
    client_id: subject.clientId,
    client_secret: subject.clientSecret,
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) };
  const text = await new Promise<string>((resolve, reject) => {
    request(`${subject.authUrl}/connect/token`, { method: 'POST', agent, headers }, (incoming) => {
      let received = '';
      incoming.on('data', (chunk: Buffer) => {
        received += chunk.toString();
      });
      incoming.on('end', () => resolve(received));
    })
      .on('error', reject)
      .end(body);
  });
  const { access_token } = Object(JSON.parse(text));
  return access_token;
}

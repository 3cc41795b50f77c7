import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestLatchkey } from './harness.ts';
import { freePortBase } from './ports.ts';

const ENTRY = fileURLToPath(new URL('../latchkey.mjs', import.meta.url));

export type SecondProcess = {
  child: ChildProcess;
  /** The ports of the test environment. */
  ports: { auth: number; api: number };
  auth: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
  api: (path: string, token: string) => Promise<Response>;
  stop: () => Promise<void>;
};

/** Starts another Latchkey process with the same addresses and database on other ports. */
export async function startSecondProcess(
  latchkey: Pick<TestLatchkey, 'system' | 'databaseUrl'>,
  settings: Record<string, string> = {},
): Promise<SecondProcess> {
  const { addresses } = latchkey.system.config;
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-second-'));
  const base = await freePortBase();
  const child = spawn(process.execPath, [ENTRY, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      DATABASE_URL: latchkey.databaseUrl,
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_LOG_LEVEL: 'fatal',
      LATCHKEY_PORT_BASE: String(base),
      LATCHKEY_SECRET: 'a secret of the tests that is long enough',
      // On a busy machine a statement takes longer than the product allows.
      LATCHKEY_DATABASE_STATEMENT_SECONDS: '120',
      LATCHKEY_DATABASE_LOCK_SECONDS: '120',
      LATCHKEY_CONSOLE_URL: addresses.console,
      LATCHKEY_TEST_AUTH_URL: addresses.test.auth,
      LATCHKEY_TEST_API_URL: addresses.test.api,
      LATCHKEY_PRODUCTION_AUTH_URL: addresses.production.auth,
      LATCHKEY_PRODUCTION_API_URL: addresses.production.api,
      ...settings,
    },
  });
  await ready(child);
  const hostOf = (address: string) => new URL(address).host;
  return {
    child,
    ports: { auth: base + 1, api: base + 2 },
    auth: (path, body, headers) => request(base + 1, path, { host: hostOf(addresses.test.auth), body, headers }),
    api: (path, token) => request(base + 2, path, { host: hostOf(addresses.test.api), token }),
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await ended;
      }
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`The second process ended with ${code}: ${output}`)));
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('Ready in')) resolve();
    });
  });
}

/** Uses node:http, because `fetch` does not allow a Host header. */
function request(
  port: number,
  path: string,
  {
    host,
    token,
    body,
    headers,
  }: { host: string; token?: string; body?: unknown; headers?: Record<string, string> | undefined },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          host,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve(
            new Response(incoming.statusCode === 204 ? null : Buffer.concat(chunks), {
              status: incoming.statusCode ?? 0,
              headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
            }),
          ),
        );
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

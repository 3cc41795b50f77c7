import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import type { Demo } from '#hosts';
import { freePort } from '#tests/ports.ts';
import { respondWith, startReceiver } from '#tests/receiver.ts';
import { Fleet } from './fleet.ts';
import { Load, type Pace, type Urls } from './load.ts';
import { createData, PostgresServer } from './postgres-server.ts';
import { SmallDisk } from './small-disk.ts';
import { expectSoon } from './wait.ts';

/** Clients of an installation. */
type Clients = {
  load: Load;
  /** The changes whose webhook has arrived with a valid signature. */
  arrived: ReadonlySet<string>;
};

/** An installation under load. */
export type Installation = Clients & {
  /** Asks the database that accepts writes. */
  query: PostgresServer['query'];
  isReady: () => Promise<boolean>;
  /** How many processes have ended by themselves. */
  countEnded: () => number;
};

/** Processes by role behind balancers, and two database servers of which one runs. */
export type Site = Installation & {
  /** The folder with the log of every process. */
  folder: string;
  pace: Pace;
  /** The server that accepts writes. */
  primary: PostgresServer;
  /** The other server. Faults that need a standby start it. */
  spare: PostgresServer;
  /** The disk with the database; null if this user may not mount one. */
  disk: SmallDisk | null;
  fleet: Fleet;
};

export const DISK_MEGABYTES = 400;

/** Starts the site. It ends with this process. */
export async function openSite(pace: Pace): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-faults-'));
  chmodSync(folder, 0o755);
  const disk = SmallDisk.mount(join(folder, 'disk'), DISK_MEGABYTES);
  const login = await createData(join(folder, 'disk', 'one'));
  const primary = new PostgresServer(join(folder, 'disk', 'one'), await freePort(), login);
  const spare = new PostgresServer(join(folder, 'two'), await freePort(), login);
  const url = primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${spare.port}/`);
  const fleet = new Fleet(folder, `${url}?target_session_attrs=read-write`);
  process.once('exit', (code) => {
    fleet.close();
    for (const server of [primary, spare]) server.signal('SIGKILL');
    // The logs of a failure stay.
    if (code === 0) removeFolder(folder);
  });
  await primary.start();
  const demo = await fleet.open();
  const isReady = () => fleet.isReady();
  const site: Site = {
    ...(await connectClients(demo, { urls: fleet.urls, pace, isReady })),
    query: (text, values) => site.primary.query(text, values),
    isReady,
    countEnded: () => fleet.countEnded,
    folder,
    pace,
    primary,
    spare,
    disk,
    fleet,
  };
  return site;
}

/** Prepares clients, and an endpoint for webhooks about all that they change. */
export async function connectClients(
  demo: Demo,
  { urls, pace, isReady }: { urls: Urls; pace: Pace; isReady: () => Promise<boolean> },
): Promise<Clients> {
  const receiver = await startReceiver();
  const load = new Load(demo, urls, pace);
  const endpoint = { url: `${receiver.origin}/hook`, events: ['profile.*', 'organization.*'] };
  await expectSoon('every process is ready', isReady);
  const { secret = '' } = await load.manage('/v1/admin/webhooks/endpoints', endpoint);
  const webhook = new Webhook(secret);
  const arrived = new Set<string>();
  receiver.on('/hook', (response, received, request) => {
    // At once, because a signature is valid for some minutes only.
    const valid = isSigned(webhook, received);
    if (valid) arrived.add(JSON.parse(received.body).correlationId);
    respondWith(valid ? 200 : 400)(response, received, request);
  });
  return { load, arrived };
}

function isSigned(webhook: Webhook, { body, headers }: { body: string; headers: Record<string, string> }): boolean {
  try {
    webhook.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  } catch {
    // Processes that are ending still write there. The counts must stay the last line.
  }
}

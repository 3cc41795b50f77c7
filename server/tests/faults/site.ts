import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#tests/ports.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { Fleet } from './fleet.ts';
import { Load } from './load.ts';
import { createData, PostgresServer } from './postgres-server.ts';
import { SmallDisk } from './small-disk.ts';
import { waitUntil } from './wait.ts';

/** An installation under load: two database servers of which one runs, the Latchkey processes, and a receiver of webhooks. */
export type Site = {
  /** The folder with the log of every process. */
  folder: string;
  /** The server that accepts writes. */
  primary: PostgresServer;
  /** The other server. Faults that need a standby start it. */
  spare: PostgresServer;
  /** The disk with the databases; null if this user may not mount one. */
  disk: SmallDisk | null;
  fleet: Fleet;
  load: Load;
  receiver: Receiver;
  webhookSecret: string;
};

const DISK_MEGABYTES = 400;

/** Starts an installation. It ends with this process. */
export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-faults-'));
  chmodSync(folder, 0o755);
  const databases = join(folder, 'databases');
  const disk = SmallDisk.mount(databases, DISK_MEGABYTES);
  const login = await createData(join(databases, 'one'));
  const primary = new PostgresServer(join(databases, 'one'), await freePort(), login);
  const spare = new PostgresServer(join(databases, 'two'), await freePort(), login);
  const url = primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${spare.port}/`);
  const fleet = new Fleet(folder, `${url}?target_session_attrs=read-write`);
  process.once('exit', (code) => {
    fleet.close();
    for (const server of [primary, spare]) server.signal('SIGKILL');
    // The logs of a failure stay.
    if (code === 0) rmSync(folder, { recursive: true, force: true });
  });
  await primary.start();
  const demo = await fleet.open();
  const receiver = await startReceiver();
  const load = new Load(demo, fleet.urls);
  const endpoint = { url: `${receiver.origin}/hook`, events: ['profile.*', 'organization.*'] };
  await waitUntil(() => fleet.isReady());
  let webhookSecret = '';
  await waitUntil(async () => {
    webhookSecret = (await load.manage('/v1/admin/webhooks/endpoints', endpoint))['secret'] ?? '';
    return true;
  });
  return { folder, primary, spare, disk, fleet, load, receiver, webhookSecret };
}

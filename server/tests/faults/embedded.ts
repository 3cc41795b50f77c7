import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOfRunning } from '#platform/embedded-postgres.ts';
import { freePortBase } from '#tests/ports.ts';
import { type Fault, NO_MOUNT } from './fault.ts';
import { CACHE, ENTRY } from './fleet.ts';
import { queryAt } from './postgres-server.ts';
import { connectClients, DISK_MEGABYTES, type Installation, type Site } from './site.ts';
import { SmallDisk } from './small-disk.ts';
import { expectSoon } from './wait.ts';

/** A Latchkey in one process with the embedded database, which has its own way to recover. */
async function openEmbedded({ folder, pace }: Site, disk: SmallDisk): Promise<Installation> {
  const dataDir = join(disk.folder, 'data');
  const base = await freePortBase();
  const child = spawn(process.execPath, [ENTRY, 'serve'], {
    stdio: ['ignore', 'ignore', openSync(join(folder, 'embedded.log'), 'a')],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: CACHE,
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_PORT_BASE: String(base),
      LATCHKEY_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const isReady = async () => (await fetch(`http://127.0.0.1:${base + 90}/readyz`)).ok;
  await expectSoon('the Latchkey with the embedded database is ready', isReady);
  const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  const urls = {
    auth: `http://localhost:${base + 1}`,
    api: `http://localhost:${base + 2}`,
    status: `http://localhost:${base}`,
  };
  return {
    ...(await connectClients(demo, { urls, pace, isReady })),
    query: async (text, values) => queryAt(addressOfRunning(dataDir, 'latchkey'), text, values),
    isReady,
    countEnded: () => (child.exitCode === null && child.signalCode === null ? 0 : 1),
  };
}

export function embeddedDiskFull(seconds: number): Fault {
  let opened: (Installation & { disk: SmallDisk }) | null = null;
  return {
    name: `disk of an embedded database full for ${seconds} s`,
    // It makes a whole installation.
    long: true,
    obstacle: (site) => (site.disk ? null : NO_MOUNT),
    open: async (site) => {
      const disk = SmallDisk.mount(join(site.folder, 'embedded'), DISK_MEGABYTES);
      if (!disk) throw new Error(NO_MOUNT);
      opened = { ...(await openEmbedded(site, disk)), disk };
      return opened;
    },
    run: async () => {
      await opened?.disk.fill(seconds * 1_000, opened.query);
      return undefined;
    },
  };
}

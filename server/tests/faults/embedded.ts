import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { newEmail, PASSWORD } from '#tests/harness.ts';
import { freePortBase } from '#tests/ports.ts';
import { type Fault, NO_MOUNT } from './fault.ts';
import { ENTRY } from './fleet.ts';
import { SmallDisk } from './small-disk.ts';
import { waitUntil } from './wait.ts';

/** A Latchkey with the embedded database, which has its own way to recover. */
export const embeddedDiskFull: Fault = {
  name: 'disk of an embedded database full for 10 s',
  long: true,
  obstacle: ({ disk }) => (disk ? null : NO_MOUNT),
  run: async ({ folder }) => {
    const disk = SmallDisk.mount(join(folder, 'embedded'), 200);
    if (!disk) throw new Error(NO_MOUNT);
    const base = await freePortBase();
    const child = spawn(process.execPath, [ENTRY, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        LATCHKEY_DATA_DIR: join(disk.folder, 'data'),
        LATCHKEY_LOG_LEVEL: 'silent',
        LATCHKEY_PORT_BASE: String(base),
      },
    });
    process.once('exit', () => child.kill('SIGKILL'));
    child.stdout.resume();
    const ended = once(child, 'exit');
    const isReady = async () => (await fetch(`http://127.0.0.1:${base + 90}/readyz`)).ok;
    const post = async (path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(20_000) };
      const response = await fetch(`http://localhost:${base + 1}${path}`, init);
      await response.text();
      return response.status;
    };
    await waitUntil(isReady);
    const acknowledged: string[] = [];
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const email = newEmail();
        // biome-ignore lint/performance/noAwaitInLoops: one registration after the other
        const status = await post('/v1/auth/register', { email, password: PASSWORD }).catch(() => 0);
        if (status === 200) acknowledged.push(email);
      }
    });
    await waitUntil(() => acknowledged.length > 5);
    await disk.fill(10_000);
    const before = acknowledged.length;
    const healed = await waitUntil(async () => (await isReady()) && acknowledged.length > before);
    isOver = true;
    await Promise.all(clients);
    if (!healed) throw new Error('the embedded database did not come back');
    for (const identifier of acknowledged) {
      const signIn = () => post('/v1/auth/login/password', { identifier, password: PASSWORD });
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const signedIn = await waitUntil(async () => (await signIn()) === 200);
      if (!signedIn) throw new Error(`the registration of ${identifier} is lost`);
    }
    child.kill('SIGTERM');
    await ended;
    return `${acknowledged.length} registrations kept`;
  },
};

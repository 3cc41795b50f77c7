import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { createInstallation, readSubject } from './installation.ts';
import { seedPeople } from './people.ts';
import { startLatchkey, stop } from './server.ts';

/**
 * Measures the time and memory of a backup and of its restore, encrypted, to and from a file.
 * `npm run bench:backup -- MEMBERS`; a million when absent.
 */
const members = Number(process.argv[2] ?? 1_000_000);
const LATCHKEY = resolve(import.meta.dirname, '../server/latchkey.mjs');
const PORT_BASE = 28_000;
const SAMPLE_MS = 50;

const installation = await createInstallation();
const { folder, settings, databaseUrl } = installation;
const { child: latchkey } = await startLatchkey({ ...settings, LATCHKEY_PORT_BASE: String(PORT_BASE) });
await stop(latchkey);
const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();
await seedPeople(database, await readSubject(installation), { from: 1, to: members });
await database.query('analyze');
await database.query('create database restored');
await database.end();

const file = join(folder, 'backup.zip.age');
const restored = new URL(databaseUrl);
restored.pathname = '/restored';
const [key = ''] = (await latchkeyCommand(['backup-key'], {})).output.split('\n').slice(-2);
const keyed = { ...settings, LATCHKEY_BACKUP_KEY: key };
const made = await latchkeyCommand(['backup', file], keyed);
tell('backup', made);
console.log(`${members} members: ${((await stat(file)).size / 1e6).toFixed(0)} MB`);
tell('restore', await latchkeyCommand(['restore', file], { ...keyed, DATABASE_URL: restored.href }));
console.log(`load of this machine over the last minute: ${(loadavg()[0] ?? 0).toFixed(1)}`);
await installation.end();
process.exit(0);

type Measured = { output: string; seconds: number; megabytes: number };

function tell(what: string, { seconds, megabytes }: Measured): void {
  console.log(`${what} of ${members} members: ${seconds.toFixed(1)} s, at most ${megabytes.toFixed(0)} MB of memory`);
}

/** Runs a command in a process of its own, with the most memory that it had. */
async function latchkeyCommand(args: string[], env: Record<string, string>): Promise<Measured> {
  const began = performance.now();
  const child = spawn(process.execPath, [LATCHKEY, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let megabytes = 0;
  const sampling = setInterval(() => {
    readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (status) => {
        megabytes = Math.max(megabytes, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
      },
      () => undefined,
    );
  }, SAMPLE_MS);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output}`);
  return { output, seconds: (performance.now() - began) / 1000, megabytes };
}

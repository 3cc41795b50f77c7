import { LAYOUT } from '#migrations';
import { loadConfig } from '#platform/config.ts';
import { connectAlone } from '#platform/connections.ts';
import { type Division, divide, type PendingTable, readDivision } from '#platform/division.ts';
import { announcerFor } from './announcer.ts';
import { joinDatabase } from './database.ts';
import { failing } from './failing.ts';
import type { Overrides } from './installation.ts';

/** How many bytes of tables a worker takes in a second, for rough estimates. */
const BYTES_PER_SECOND = 20_000_000;
/** If the process that moves the tables is frozen, its transaction ends. */
const MAX_SILENCE_MS = 60_000;

/** Divides the tables of the installation over the servers of its Citus cluster, or says what that would do, and exits. */
export async function distribute(overrides: Overrides, { json, plan }: { json?: true; plan?: true }): Promise<void> {
  await failing(overrides, async () => {
    const tell = announcerFor(overrides, json ? process.stderr : process.stdout).say;
    const database = await joinDatabase(loadConfig(undefined, overrides), tell);
    const client = await connectAlone(database.url, { name: 'latchkey-distribute', silenceMs: MAX_SILENCE_MS });
    try {
      const before = await readDivision(client);
      if (!plan) await divide(client, tell);
      const division = plan ? before : await readDivision(client);
      say(json ? JSON.stringify(division, null, 2) : plan ? planned(division) : done(before, division));
    } finally {
      await client.end();
      await database.stop();
    }
  });
}

function planned({ onCitus, workers, pending }: Division): string {
  if (!onCitus) return 'The database has no Citus: nothing can be divided.';
  if (pending.length === 0) return 'Nothing is left to divide.';
  const seconds = Math.ceil(pending.reduce((sum, { bytes }) => sum + bytes, 0) / BYTES_PER_SECOND) + pending.length / 4;
  const minutes = Math.ceil(seconds / 60);
  return [
    ...pending.map(describePending),
    '',
    `${pending.length} tables move to ${workers} workers in one transaction; ${localTables()} stay on the coordinator.`,
    `Roughly ${minutes === 1 ? 'a minute' : `${minutes} minutes`}. Requests wait for the end meanwhile, or get 503 with Retry-After.`,
    'Afterwards, versions that do not know the present schema do not start.',
  ].join('\n');
}

function describePending({ table, kind, rows, bytes }: PendingTable): string {
  const size = `${Math.round(rows)} rows, ${(bytes / 1e6).toFixed(1)} MB`;
  const known = LAYOUT.get(table);
  return kind === 'distributed' || known === undefined || known.kind === 'distributed'
    ? `${table}: by workspace (${size})`
    : `${table}: a copy on each server (${size}). ${known.because}`;
}

function localTables(): number {
  return [...LAYOUT.values()].filter(({ kind }) => kind === 'local').length;
}

function done(before: Division, { workers }: Division): string {
  return before.pending.length === 0 ? 'Nothing is left to divide.' : `The tables are divided over ${workers} workers.`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

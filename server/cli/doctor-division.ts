import type pg from 'pg';
import { type Division, readDivision, skewedTables, userWaitingOnWorkers } from '#platform/division.ts';
import type { Finding } from './doctor.ts';

const check = 'division';

/** How the tables lie: on one server, or divided over those of a Citus cluster, and which of them are skewed. */
export async function checkDivision(client: pg.ClientBase): Promise<Finding[]> {
  const division = await readDivision(client);
  if (!division.isDivided) return [{ check, state: 'ok', found: undivided(division) }];
  const { workers, pending } = division;
  const skewed = await skewedTables(client);
  const waiting = await userWaitingOnWorkers(client);
  return [
    pending.length === 0
      ? { check, state: 'ok', found: `divided by workspace over ${workers} workers` }
      : {
          check,
          state: 'failed',
          found: `divided over ${workers} workers, but not ${pending.map(({ table }) => table).join(', ')}`,
          remedy: 'latchkey distribute',
        },
    ...(waiting === undefined ? [] : [waitsLong(waiting)]),
    ...skewed.map(
      ({ table, largest, average }): Finding => ({
        check,
        state: 'warning',
        found: `${table}: its largest shard has ${megabytes(largest)} MB, the average one ${megabytes(average)} MB`,
        remedy: 'One workspace is large. Give it a server of its own: see "A large workspace" in docs/scale.md.',
      }),
    ),
  ];
}

function waitsLong(user: string): Finding {
  return {
    check,
    state: 'warning',
    found: 'a statement that waits on a worker for a lock waits as long as it may run',
    remedy: `alter role ${user} set lock_timeout = '3s': see "Dividing an installation" in docs/scale.md.`,
  };
}

function undivided({ onCitus, pending }: Division): string {
  if (!onCitus) return 'one server';
  return `one server; on Citus, \`latchkey distribute\` would move ${pending.length} tables`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

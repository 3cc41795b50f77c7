import { sql } from 'kysely';
import { POOL_NAME } from './connections.ts';
import type { System } from './system.ts';

const POLL_MS = 50;

/** Repeats a check until it holds. Returns false if it does not hold in time. */
export async function within(milliseconds: number, ask: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: polls
    if (await ask()) return true;
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Waits until the transactions of requests and jobs that are open now have ended. Returns false if they do not in time. */
export async function untilOpenTransactionsEnd({ db }: Pick<System, 'db'>, milliseconds: number): Promise<boolean> {
  const { rows } = await openTransactions.execute(db);
  const before = new Set(rows.map(({ pid, since }) => `${pid} ${since}`));
  return within(milliseconds, async () => {
    const { rows: now } = await openTransactions.execute(db);
    return now.every(({ pid, since }) => !before.has(`${pid} ${since}`));
  });
}

const openTransactions = sql<{ pid: number; since: string }>`
  select pid, xact_start::text as since from pg_stat_activity
  where datname = current_database() and (application_name = ${POOL_NAME} or application_name like ${`${POOL_NAME} %`}) and pid <> pg_backend_pid()
    and xact_start is not null`;

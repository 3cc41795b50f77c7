import { sql } from 'kysely';
import type { Environment } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';
import { type Outcomes, putBackOutcomes, recordOutcome, takeOutcomes } from '#platform/outcomes.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import type { Rate } from './health.ts';

type StatusSignalsTable = { environment: Environment; signal: string; minute: Date; good: number; bad: number };

declare module '#platform/db.ts' {
  interface Tables {
    status_signals: StatusSignalsTable;
  }
}

/** Sign-in routes. A failure of 500 and above is the server's fault, whatever the input. */
const SIGN_IN = /^\/v1\/(auth\/(login|register|mfa)|sessions\/refresh)/;
const FLUSH_MS = 3_000;
const WINDOW = '5 minutes';
const KEPT = '1 hour';

/** Counts the responses to sign-in attempts. */
export function countSignIns(app: App, environment: Environment): void {
  app.addHook('onResponse', ({ route }, reply, done) => {
    if (route && SIGN_IN.test(route.path))
      recordOutcome(app.system, { environment, signal: 'sign_in', good: reply.statusCode < 500 });
    done();
  });
}

/** Adds this process's counts to the shared ones every few seconds; a failed write is retried. */
export function startCounting(system: System): { stop: () => Promise<void> } {
  const flush = async () => {
    const taken = takeOutcomes(system);
    if (taken.length === 0) return;
    try {
      await write(system, taken);
    } catch (error) {
      system.log.debug({ err: error }, 'signals wait for the database');
      putBackOutcomes(system, taken);
    }
  };
  const timer = setInterval(() => {
    flush().catch((error: unknown) => system.log.warn({ err: error }, 'signals'));
  }, FLUSH_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

async function write(system: System, taken: readonly Outcomes[]): Promise<void> {
  await sql`
    insert into status_signals (environment, signal, minute, good, bad)
    select * from jsonb_to_recordset(${JSON.stringify(taken)}::jsonb)
      as counted (environment text, signal text, minute timestamptz, good bigint, bad bigint)
    on conflict (environment, signal, minute)
      do update set good = status_signals.good + excluded.good, bad = status_signals.bad + excluded.bad`.execute(
    singleWrite(system, 'count'),
  );
}

/** The counts of all processes in the last five minutes, by signal. Served by the primary key. */
export async function signalRates(system: System, environment: Environment): Promise<Map<string, Rate>> {
  const { rows } = await sql<Rate & { signal: string }>`
    select signal, sum(good)::bigint as good, sum(bad)::bigint as bad from status_signals
    where environment = ${environment} and minute > ${system.clock.now()}::timestamptz - ${WINDOW}::interval
    group by signal`.execute(system.db);
  return new Map(rows.map(({ signal, ...rate }) => [signal, rate]));
}

/** Deletes signals that are too old for any reading. */
export async function removeOldSignals(system: System): Promise<void> {
  await sql`delete from status_signals where minute < ${system.clock.now()}::timestamptz - ${KEPT}::interval`.execute(
    singleWrite(system, 'clean-up'),
  );
}

import { randomUUID } from 'node:crypto';
import type { Updateable } from 'kysely';
import { emit } from '#events';
import { systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import type { Claimed } from './claims.ts';
import { insertFaults } from './faults.ts';
import { about, scopeOf } from './streams.ts';
import type { Fault, Refusal } from './verdicts.ts';

/** The outcome for the entries up to a position. */
export type Settled = { position: number; sent: number; refused: readonly Refusal[] };

/**
 * Moves the position of a stream past entries that were sent or refused.
 * @param row updated in place
 * @returns false if another process has claimed the stream, or it was changed
 */
export async function settle(system: System, row: Claimed, { position, sent, refused }: Settled): Promise<boolean> {
  const refusals = refused.reduce((sum, { count }) => sum + count, 0);
  const accepted = sent > 0;
  const recoveredFrom = accepted && row.told ? row.failing_since : null;
  return write(system, row, async (tx) => {
    const changed = await update(tx, row, {
      position,
      sent: row.sent + sent,
      refused: row.refused + refusals,
      ...(accepted && { sent_at: tx.now, failures: 0, failing_since: null, next_attempt_at: null, told: false }),
    });
    if (!changed) return false;
    await insertFaults(
      tx,
      row.id,
      refused.map((refusal) => ({ ...refusal, refused: true })),
    );
    if (recoveredFrom)
      await emit(tx, 'log_stream.recovered', { ...about(row), failedSince: recoveredFrom.toISOString() });
    return true;
  });
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** Spreads the attempts of streams that failed together. */
const JITTER = 0.2;
/** How long a stream must fail before an event reports it. */
const TELL_MS = 15 * 60_000;

/** A failed request. Its entries, from the sequence `first` to `last`, are sent again, not before `retryAt`. */
export type Failed = { first: number; last: number; fault: Fault; retryAt: Date | null };

/**
 * Postpones the next attempt of a stream: by a second, then by twice as long each time, up to five minutes.
 * @param row updated in place
 */
export async function postpone(system: System, row: Claimed, { fault, retryAt, first, last }: Failed): Promise<void> {
  await write(system, row, async (tx) => {
    const since = row.failing_since ?? tx.now;
    const tell = !row.told && tx.now.getTime() - since.getTime() >= TELL_MS;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** row.failures) * (1 + Math.random() * JITTER);
    const changed = await update(tx, row, {
      failures: Math.min(row.failures + 1, 30),
      failing_since: since,
      next_attempt_at: new Date(Math.max(tx.now.getTime() + pause, retryAt?.getTime() ?? 0)),
      told: row.told || tell,
    });
    if (!changed) return false;
    await insertFaults(tx, row.id, [{ first, last, refused: false, fault }]);
    if (tell) await emit(tx, 'log_stream.failing', { ...about(row), since: since.toISOString(), error: fault.error });
    return true;
  });
}

function write(system: System, row: Claimed, work: (tx: TxCtx) => Promise<boolean>): Promise<boolean> {
  return transaction(systemCtx(system, scopeOf(row), 'log-streams', randomUUID()), work);
}

/** Changes a stream that this process has claimed, and the row in memory. */
async function update(tx: TxCtx, row: Claimed, set: Updateable<Tables['log_streams']>): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('log_streams')
    .set(set)
    .where(inScope(tx))
    .where('id', '=', row.id)
    .where('claim', '=', row.claim)
    .where('version', '=', row.version)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return false;
  Object.assign(row, set);
  return true;
}

import type { LogEntry } from './log-entries.ts';
import type { Failed, Settled } from './progress.ts';
import type { Refusal, Verdict } from './verdicts.ts';

/** How a batch sends entries, records the outcome and learns whether it may continue. */
export type Sender = {
  /** Called before each request. */
  proceed: () => Promise<boolean>;
  send: (entries: readonly LogEntry[]) => Promise<Verdict>;
  settle: (settled: Settled) => Promise<boolean>;
  postpone: (failed: Failed) => Promise<void>;
};

/**
 * How many requests a batch may make while the destination accepts none of its entries. They suffice to find one bad entry
 * among hundreds.
 */
const MAX_REFUSED_REQUESTS = 40;

/** A part of a batch; never empty. */
type Chunk = { entries: readonly LogEntry[]; first: number; last: number };

function chunkOf(entries: readonly LogEntry[]): Chunk[] {
  const [first, last] = [entries[0], entries.at(-1)];
  return first && last ? [{ entries, first: first.sequence, last: last.sequence }] : [];
}

/**
 * Sends entries in order. A refused part is halved until the refused entry is found. This entry is skipped only if the
 * destination accepts another entry of the batch: a destination that refuses everything is at fault itself.
 * @returns false if the rest is to be sent later
 */
export async function sendBatch(sender: Sender, entries: readonly LogEntry[]): Promise<boolean> {
  const waiting = chunkOf(entries);
  let held: Refusal[] = [];
  let accepted = false;
  let requests = 0;
  for (let chunk = waiting.pop(); chunk; chunk = waiting.pop()) {
    const { first, last } = chunk;
    // biome-ignore lint/performance/noAwaitInLoops: entries are sent in order
    if (!(await sender.proceed())) return false;
    const verdict = await sender.send(chunk.entries);
    requests += 1;
    if (verdict.kind === 'accepted') {
      accepted = true;
      if (!(await sender.settle(settledBy(chunk, verdict.refused, held)))) return false;
      held = [];
    } else if (verdict.kind === 'failed' || (!accepted && requests >= MAX_REFUSED_REQUESTS)) {
      await sender.postpone({ first, last, retryAt: null, ...verdict });
      return false;
    } else if (chunk.entries.length > 1) waiting.push(...halved(chunk));
    else held.push({ first, last, count: 1, fault: verdict.fault });
  }
  return leftOver(sender, { held, accepted });
}

/** The halves of a part, the second one first: the caller takes them from the end. */
function halved({ entries }: Chunk): Chunk[] {
  const middle = Math.ceil(entries.length / 2);
  return [...chunkOf(entries.slice(middle)), ...chunkOf(entries.slice(0, middle))];
}

function settledBy({ entries, last }: Chunk, refused: readonly Refusal[], held: readonly Refusal[]): Settled {
  const refusals = refused.reduce((sum, { count }) => sum + count, 0);
  return { position: last, sent: entries.length - refusals, refused: [...held, ...refused] };
}

/** Skips the refused entries at the end of the batch, or postpones the batch if the destination accepted none of it. */
async function leftOver(
  sender: Sender,
  { held, accepted }: { held: readonly Refusal[]; accepted: boolean },
): Promise<boolean> {
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) return true;
  if (accepted) return sender.settle({ position: last.last, sent: 0, refused: held });
  await sender.postpone({ first: first.first, last: last.last, fault: first.fault, retryAt: null });
  return false;
}

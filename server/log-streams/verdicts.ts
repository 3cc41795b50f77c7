import { retryAt } from '#platform/retry-after.ts';
import type { LogEntry } from './log-entries.ts';

/** Why something was not accepted. */
export type Fault = { statusCode: number | null; error: string; responseSnippet: string | null };

/** The outcome of one request. */
export type Verdict =
  /** The destination has them. `refused`: those among them that it will never take. */
  | { kind: 'accepted'; refused: readonly Refusal[] }
  /** The destination does not take the content of this request. */
  | { kind: 'refused'; fault: Fault }
  /** The same request may succeed later, or after a change of the stream or the destination. */
  | { kind: 'failed'; fault: Fault; retryAt: Date | null };

/** Entries that the destination will never take: `count` of those between two sequences, both included. */
export type Refusal = { first: number; last: number; count: number; fault: Fault };

export type Reply = { status: number; text: string; retryAfter: string | null };

/** Reads the verdict of one kind of destination; null: the status decides. */
export type Judge = (reply: Reply, entries: readonly LogEntry[], fault: Fault) => Verdict | null;

/** The body is malformed, too large, or not understood (RFC 9110 §15.5.1, §15.5.14, §15.5.21). */
const CONTENT = [400, 413, 422];
const MAX_PAUSE_MS = 3_600_000;

export function verdictOf(
  reply: Reply,
  entries: readonly LogEntry[],
  { fault, now, judge }: { fault: Fault; now: Date; judge: Judge | undefined },
): Verdict {
  const judged = judge?.(reply, entries, fault);
  if (judged) return judged;
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: 'accepted', refused: [] };
  if (CONTENT.includes(status)) return { kind: 'refused', fault };
  return { kind: 'failed', fault, retryAt: retryAt(reply.retryAfter, { now, maxMs: MAX_PAUSE_MS }) };
}

/** A JSON object, or nothing of it. */
function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}

/** Codes of the HTTP Event Collector that are about an event; the other codes of a 400 are about the token or the index. */
const SPLUNK_CONTENT = [6, 12, 13, 15];

export const judgeSplunk: Judge = ({ status, text }, _entries, fault) => {
  if (status !== 400) return null;
  const { code } = objectIn(text);
  return SPLUNK_CONTENT.includes(Number(code)) ? { kind: 'refused', fault } : { kind: 'failed', fault, retryAt: null };
};

type Item = { status: number; error: string };

/** The result of a document in the response to a bulk request: `{ "create": { "status": …, "error": … } }`. */
function itemsIn(text: string): Item[] | null {
  const { items } = objectIn(text);
  if (!Array.isArray(items)) return null;
  return items.map((item: unknown) => {
    const { create } = objectIn(JSON.stringify(item));
    const { status, error } = objectIn(JSON.stringify(create ?? {}));
    const { type, reason } = objectIn(JSON.stringify(error ?? {}));
    return { status: Number(status), error: [type, reason].filter((word) => typeof word === 'string').join(': ') };
  });
}

/** A document with this id exists: an earlier request succeeded although its response was lost. */
const EXISTS = 409;

/** A bulk request succeeds although documents fail. One that may succeed later fails the request, which is repeated. */
export const judgeElastic: Judge = ({ status, text }, entries, fault) => {
  if (status < 200 || status >= 300) return null;
  const items = itemsIn(text);
  if (items === null || items.length !== entries.length)
    return { kind: 'failed', fault: { ...fault, error: 'the response is not one of the bulk API' }, retryAt: null };
  const faultOf = (item: Item): Fault => ({ ...fault, statusCode: item.status, error: item.error || 'refused' });
  const failed = items.find((item) => item.status !== EXISTS && item.status >= 300 && !CONTENT.includes(item.status));
  if (failed) return { kind: 'failed', fault: faultOf(failed), retryAt: null };
  const refused = items.flatMap((item, index) => {
    const sequence = entries[index]?.sequence;
    return CONTENT.includes(item.status) && sequence !== undefined
      ? [{ first: sequence, last: sequence, count: 1, fault: faultOf(item) }]
      : [];
  });
  const [first] = refused;
  return first && refused.length === entries.length
    ? { kind: 'refused', fault: first.fault }
    : { kind: 'accepted', refused };
};

/**
 * A partial success names how many records were rejected, not which; it is not repeated (OTLP, "Partial Success"). If all
 * were rejected, their refusal is tried out one by one, because nothing is skipped while a destination takes nothing.
 */
export const judgeOtlp: Judge = ({ status, text }, entries, fault) => {
  if (status < 200 || status >= 300) return null;
  const { rejectedLogRecords, errorMessage } = objectIn(JSON.stringify(objectIn(text)['partialSuccess'] ?? {}));
  const [first, last] = [entries[0]?.sequence, entries.at(-1)?.sequence];
  const count = Number(rejectedLogRecords ?? 0);
  if (!(count > 0) || first === undefined || last === undefined) return { kind: 'accepted', refused: [] };
  const error = `${count} of ${entries.length} records rejected: ${String(errorMessage ?? 'no reason given')}`.slice(
    0,
    200,
  );
  if (count >= entries.length) return { kind: 'refused', fault: { ...fault, error } };
  return { kind: 'accepted', refused: [{ first, last, count, fault: { ...fault, error } }] };
};

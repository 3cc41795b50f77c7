import { retryAt } from '#platform/retry-after.ts';
import type { LogEntry } from './log-entries.ts';

/** Why something was not accepted. */
export type Fault = { statusCode: number | null; error: string; responseSnippet: string | null };

/** The outcome of one request. */
export type Verdict =
  /** The destination has the entries, except those that it refused for good. */
  | { kind: 'accepted'; refused: readonly Refusal[] }
  /** The destination does not take the content of this request. */
  | { kind: 'refused'; fault: Fault }
  /** The same request may succeed later, or after a change of the stream or the destination. */
  | { kind: 'failed'; fault: Fault; retryAt: Date | null };

/** Entries that the destination refused for good: `count` of those from the sequence `first` to `last`. */
export type Refusal = { first: number; last: number; count: number; fault: Fault };

/** `quote`: makes a part of the text fit to be stored and shown. */
export type Reply = { status: number; text: string; retryAfter: string | null; quote: (part: string) => string };

/** Reads what one kind of destination says in its response; null: the status decides. */
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

/** @returns undefined if the text is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a value; none if it is no object. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return { ...Object(value) };
}

/** Codes of the HTTP Event Collector for a fault of an event. The other codes of a 400 mean a fault of the token or index. */
const SPLUNK_CONTENT = [6, 12, 13, 15];

export const judgeSplunk: Judge = ({ status, text }, _entries, fault) => {
  if (status !== 400) return null;
  const { code } = fieldsOf(parsed(text));
  return SPLUNK_CONTENT.includes(Number(code)) ? { kind: 'refused', fault } : { kind: 'failed', fault, retryAt: null };
};

type Item = { status: number; error: string };

/**
 * The results of the documents in the response to a bulk request: `{ "create": { "status": …, "error": … } }` for each.
 * @returns null if it is another response
 */
function itemsIn({ text, quote }: Reply): Item[] | null {
  const { items } = fieldsOf(parsed(text));
  if (!Array.isArray(items)) return null;
  const read = items.map((item: unknown) => {
    const { status, error } = fieldsOf(fieldsOf(item)['create']);
    const { type, reason } = fieldsOf(error);
    return {
      status: Number(status),
      error: quote([type, reason].filter((word) => typeof word === 'string').join(': ')),
    };
  });
  return read.every(({ status }) => Number.isInteger(status) && status >= 100 && status < 600) ? read : null;
}

/** A document with this id exists: an earlier request succeeded although its response was lost. */
const EXISTS = 409;

/**
 * A bulk request succeeds even if documents in it fail. If one of them may succeed later, the whole request counts as
 * failed and is repeated.
 */
export const judgeElastic: Judge = (reply, entries, fault) => {
  if (reply.status < 200 || reply.status >= 300) return null;
  const items = itemsIn(reply);
  if (items === null || items.length !== entries.length)
    return { kind: 'failed', fault: { ...fault, error: 'the response is not that of a bulk request' }, retryAt: null };
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
 * A partial success names how many records were rejected, not which, and the request must not be repeated (OTLP, "Partial
 * Success"). If all were rejected, the whole request counts as refused, because nothing is skipped while a destination
 * accepts nothing.
 */
export const judgeOtlp: Judge = ({ status, text, quote }, entries, fault) => {
  if (status < 200 || status >= 300) return null;
  const { rejectedLogRecords, errorMessage } = fieldsOf(fieldsOf(parsed(text))['partialSuccess']);
  const [first, last] = [entries[0]?.sequence, entries.at(-1)?.sequence];
  const count = Number(rejectedLogRecords ?? 0);
  if (!Number.isSafeInteger(count) || count <= 0 || first === undefined || last === undefined)
    return { kind: 'accepted', refused: [] };
  const error = `${count} of ${entries.length} records rejected: ${quote(String(errorMessage ?? 'no reason given'))}`;
  if (count >= entries.length) return { kind: 'refused', fault: { ...fault, error } };
  return { kind: 'accepted', refused: [{ first, last, count, fault: { ...fault, error } }] };
};

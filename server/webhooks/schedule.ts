import { retryAt } from '#platform/retry-after.ts';
import type { DeliveryStatus } from './deliveries.ts';
import type { DisabledReason } from './endpoints.ts';

const MINUTE = 60;
const HOUR = 3_600;
/** Seconds before each attempt, counted from the previous one (Standard Webhooks, "Deliverability and reliability"). */
const PAUSES = [0, 5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Spreads retries of deliveries that failed together. */
const JITTER = 0.1;
const MAX_PAUSE_MS = 24 * HOUR * 1000;
/** An endpoint is disabled when every attempt has failed for this long. */
export const FAILING_MS = 5 * 24 * HOUR * 1000;

/** The result of an attempt. `retryAfter`: the header as received. */
export type Attempted = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  responseSnippet: string | null;
  retryAfter: string | null;
  /** The address was refused; nothing was sent. */
  refused: boolean;
  /** The receiver said that it no longer exists. */
  gone: boolean;
};

/** The consequences of an attempt. */
export type Outcome = {
  status: Exclude<DeliveryStatus, 'pending'>;
  nextAttemptAt: Date | null;
  /** Until when the receiver asked for a pause. */
  pauseUntil: Date | null;
  /** The receiver is gone permanently. */
  disable: DisabledReason | null;
};

/**
 * Decides the consequences of an attempt.
 * @param number the number of the attempt, from 1
 * @param now when the attempt ended
 */
export function outcomeOf(attempt: Attempted, number: number, now: Date): Outcome {
  const { statusCode, refused, gone } = attempt;
  const final = (status: Outcome['status'], disable: DisabledReason | null = null): Outcome => ({
    status,
    nextAttemptAt: null,
    pauseUntil: null,
    disable,
  });
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return final('delivered');
  if (refused) return final('blocked');
  if (gone) return final('failed', 'gone');
  const pauseUntil = quietUntil(attempt, now);
  const pause = PAUSES[number];
  if (pause === undefined) return { ...final('failed'), pauseUntil };
  const due = now.getTime() + pause * 1000 * (1 + Math.random() * JITTER);
  return {
    status: 'retrying',
    nextAttemptAt: new Date(Math.max(due, pauseUntil?.getTime() ?? 0)),
    pauseUntil,
    disable: null,
  };
}

/** The end of the pause that a 429 or 503 asks for, at most a day from now. */
function quietUntil({ statusCode, retryAfter }: Attempted, now: Date): Date | null {
  return statusCode === 429 || statusCode === 503 ? retryAt(retryAfter, { now, maxMs: MAX_PAUSE_MS }) : null;
}

/** A longer `Retry-After` is left to the caller. */
const MAX_PAUSE_MS = 60_000;
const FIRST_PAUSE_MS = 500;

export const MAX_ATTEMPTS = 4;

type Received = { response: Response; text: string };
/** What an attempt led to: a response, or an error of the network. */
export type Outcome = Received | { error: unknown };

/**
 * Repeats a request after errors of the network, 429 and 503.
 * @throws the last error of the network
 */
export async function repeated(
  send: () => Promise<Outcome>,
  max: number,
  signal: AbortSignal | undefined,
): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
    const outcome = await send();
    const pause = attempt < max && !signal?.aborted ? pauseAfter(outcome, attempt) : null;
    if (pause !== null) await wait(pause, signal);
    else if ('error' in outcome) throw outcome.error;
    else return outcome;
  }
}

/** @returns milliseconds; null if a repetition would not help, or must wait too long */
function pauseAfter(outcome: Outcome, attempt: number): number | null {
  // A `fetch` of the caller's own may know that another attempt would not help.
  if ('error' in outcome) return Object(outcome.error).isTemporary === false ? null : pauseBefore(attempt, null);
  const { status, headers } = outcome.response;
  if (status !== 429 && status !== 503) return null;
  const pause = pauseBefore(attempt, headers.get('retry-after'));
  return pause > MAX_PAUSE_MS ? null : pause;
}

/** What `Retry-After` asks for, in seconds or as a date; otherwise a random time that doubles, so that clients do not return together. */
export function pauseBefore(attempt: number, retryAfter: string | null): number {
  const value = retryAfter?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  return Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1);
}

/** @throws the reason of the signal when it is aborted */
function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** The response of `GET /api/status/summary`; new fields may appear. */
export type StatusSummary = {
  /** `operational` or `degraded`. Treat anything else as degraded. */
  overallStatus: string;
  severity: string;
  /** A sentence to show to people. */
  summary: string;
  generatedAt: string;
  environment: string;
  groups: readonly { id: string; name: string; status: string; components: readonly StatusComponent[] }[];
  incidents: readonly { id: string; phase?: string; title?: string }[];
};

export type StatusComponent = { id: string; name: string; status: string };

/** The state that was reported last. Store it, so that a restarted program does not report it again. */
export type StatusState = { status: 'operational' | 'degraded'; phases: Readonly<Record<string, string>> };

type Callback = (summary: StatusSummary) => unknown;

/** Called once per change. A callback that throws or rejects is called again at the next poll. */
export type StatusCallbacks = {
  /** The status became degraded, or is degraded at the first poll: the alert. */
  onDegraded?: Callback;
  /** The status is still degraded, and an incident was opened, was closed or changed its phase. */
  onPhaseChange?: Callback;
  /** The status is operational again. */
  onRecovered?: Callback;
  /** The status could not be read, for the first time since the last success. The status itself is unknown. */
  onUnreachable?: (error: unknown) => unknown;
};

/** Polls the status. */
export type StatusPoller = {
  /** Polls now, and then every 60 to 300 seconds. */
  start: () => void;
  stop: () => void;
  /** Polls once. @returns the new state; rejects if a callback threw */
  check: () => Promise<StatusState | null>;
};

const [SHORTEST, LONGEST] = [60_000, 300_000];
const TIMEOUT = 10_000;
/** Upper bound for `Retry-After`, in milliseconds. Timers accept at most 24 days. */
const MAX_PAUSE = 3_600_000;

/**
 * Polls a status summary at random intervals of 60 to 300 seconds with an ETag, and alerts when it changes from operational to
 * degraded. Repeated alerts are suppressed while the incident phases are unchanged.
 *
 * ```js
 * const poller = statusPoller('https://auth.example.com', { onDegraded: ({ summary }) => page(summary) });
 * poller.start();
 * ```
 *
 * @param address any of Latchkey's hosts @param known the state of an earlier run
 */
export function statusPoller(
  address: string,
  callbacks: StatusCallbacks,
  known: StatusState | null = null,
): StatusPoller {
  const source = summaryOf(new URL('/api/status/summary', address).href);
  let state = known;
  let reachable = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = 0;

  const check = async (): Promise<StatusState | null> => {
    const found = await source.read().catch((error: unknown) => ({ error }));
    if ('error' in found) {
      if (reachable) await callbacks.onUnreachable?.(found.error);
      reachable = false;
      return state;
    }
    reachable = true;
    const next = stateOf(found.summary);
    await report(callbacks, { before: state, next, summary: found.summary });
    state = next;
    return state;
  };

  const poll = async (round: number): Promise<void> => {
    try {
      await check();
    } catch {
      // A callback failed. The state is unchanged, so the next poll calls it again.
    }
    // `stop` or `start` may have been called during the poll.
    if (round === running) timer = setTimeout(poll, pause(source.retryAfter()), round);
  };

  return {
    check,
    start: () => {
      clearTimeout(timer);
      running += 1;
      poll(running).catch(() => undefined);
    },
    stop: () => {
      running += 1;
      clearTimeout(timer);
    },
  };
}

/** The part of the summary that decides which callback is called. */
function stateOf({ overallStatus, incidents }: StatusSummary): StatusState {
  return {
    status: overallStatus === 'operational' ? 'operational' : 'degraded',
    phases: Object.fromEntries(incidents.map(({ id, phase = '' }) => [id, phase])),
  };
}

type Change = { before: StatusState | null; next: StatusState; summary: StatusSummary };

async function report(callbacks: StatusCallbacks, { before, next, summary }: Change): Promise<void> {
  if (next.status === 'operational') {
    if (before?.status === 'degraded') await callbacks.onRecovered?.(summary);
  } else if (before?.status !== 'degraded') await callbacks.onDegraded?.(summary);
  else if (!samePhases(before, next)) await callbacks.onPhaseChange?.(summary);
}

function samePhases({ phases: before }: StatusState, { phases: next }: StatusState): boolean {
  const ids = Object.keys(next);
  return ids.length === Object.keys(before).length && ids.every((id) => before[id] === next[id]);
}

/** Reads the summary; downloads it again only if it changed. */
function summaryOf(url: string) {
  let last: { summary: StatusSummary; etag: string | null } | undefined;
  let retryAfter = 0;
  return {
    read: async (): Promise<{ summary: StatusSummary }> => {
      retryAfter = 0;
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...(last?.etag && { 'if-none-match': last.etag }) },
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (response.status === 304 && last) return last;
      retryAfter = Number(response.headers.get('retry-after')) * 1000 || 0;
      if (!response.ok) throw new Error(`The status summary responded with ${response.status}.`);
      const summary: unknown = await response.json();
      if (!isSummary(summary)) throw new Error('The response is not a status summary.');
      last = { summary, etag: response.headers.get('etag') };
      return last;
    },
    /** The `Retry-After` of the last response, in milliseconds. */
    retryAfter: () => retryAfter,
  };
}

function isSummary(value: unknown): value is StatusSummary {
  return (
    typeof value === 'object' &&
    value !== null &&
    'overallStatus' in value &&
    typeof value.overallStatus === 'string' &&
    'incidents' in value &&
    Array.isArray(value.incidents)
  );
}

/** A random interval, so that clients do not poll at the same moment. */
function pause(atLeast: number): number {
  return Math.min(MAX_PAUSE, Math.max(atLeast, SHORTEST + Math.random() * (LONGEST - SHORTEST)));
}

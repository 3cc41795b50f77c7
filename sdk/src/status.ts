/** What `GET /api/status/summary` answers; new fields may appear. */
export type StatusSummary = {
  /** `operational` or `degraded`. Anything else is taken as degraded. */
  overallStatus: string;
  severity: string;
  /** A sentence for people. */
  summary: string;
  generatedAt: string;
  environment: string;
  groups: readonly { id: string; name: string; status: string; components: readonly StatusComponent[] }[];
  incidents: readonly { id: string; phase?: string; title?: string }[];
};

export type StatusComponent = { id: string; name: string; status: string };

/** What was told last. Keep it, and a program that starts again does not tell it anew. */
export type StatusState = { status: 'operational' | 'degraded'; phases: Readonly<Record<string, string>> };

type Told = (summary: StatusSummary) => unknown;

/** Called at a change, once. One that throws or rejects is called again at the next look. */
export type StatusCallbacks = {
  /** All was well, or nothing was known, and now it is not: the alert. */
  onDegraded?: Told;
  /** It is not well still, and an incident came, went or entered another phase. */
  onPhaseChange?: Told;
  /** All is well again. */
  onRecovered?: Told;
  /** The status could not be read, for the first time since it could. It says nothing of the status. */
  onUnreachable?: (error: unknown) => unknown;
};

/** Looks at the status again and again. */
export type StatusPoller = {
  /** Looks now, and then every 60 to 300 seconds. */
  start: () => void;
  stop: () => void;
  /** Looks once. @returns what is known then; rejects when a callback threw */
  check: () => Promise<StatusState | null>;
};

const [SHORTEST, LONGEST] = [60_000, 300_000];
const TIMEOUT = 10_000;
/** However long the server asks for; timers take no more than three weeks. */
const MOST_PAUSE = 3_600_000;

/**
 * Polls a status summary as the interface asks its readers to: every 60 to 300 seconds, at a different moment each time, with an
 * ETag; and alerts on a change from operational to degraded, with repeats suppressed while the incident phase is unchanged.
 *
 * ```js
 * const poller = statusPoller('https://auth.example.com', { onDegraded: ({ summary }) => page(summary) });
 * poller.start();
 * ```
 *
 * @param address of any of Latchkey's hosts @param known what was told before, of an earlier run
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
    await tell(callbacks, { before: state, next, summary: found.summary });
    state = next;
    return state;
  };

  const look = async (round: number): Promise<void> => {
    try {
      await check();
    } catch {
      // A callback failed: what it should have told stays to be told.
    }
    // Stopped, or started anew, while it looked.
    if (round === running) timer = setTimeout(look, pause(source.retryAfter()), round);
  };

  return {
    check,
    start: () => {
      clearTimeout(timer);
      running += 1;
      look(running).catch(() => undefined);
    },
    stop: () => {
      running += 1;
      clearTimeout(timer);
    },
  };
}

/** The status as far as it decides what is told. */
function stateOf({ overallStatus, incidents }: StatusSummary): StatusState {
  return {
    status: overallStatus === 'operational' ? 'operational' : 'degraded',
    phases: Object.fromEntries(incidents.map(({ id, phase = '' }) => [id, phase])),
  };
}

type Change = { before: StatusState | null; next: StatusState; summary: StatusSummary };

async function tell(callbacks: StatusCallbacks, { before, next, summary }: Change): Promise<void> {
  if (next.status === 'operational') {
    if (before?.status === 'degraded') await callbacks.onRecovered?.(summary);
  } else if (before?.status !== 'degraded') await callbacks.onDegraded?.(summary);
  else if (!samePhases(before, next)) await callbacks.onPhaseChange?.(summary);
}

function samePhases({ phases: before }: StatusState, { phases: next }: StatusState): boolean {
  const ids = Object.keys(next);
  return ids.length === Object.keys(before).length && ids.every((id) => before[id] === next[id]);
}

/** Reads the summary, and again only when it changed. */
function summaryOf(url: string) {
  let last: { summary: StatusSummary; etag: string | null } | undefined;
  let asked = 0;
  return {
    read: async (): Promise<{ summary: StatusSummary }> => {
      asked = 0;
      const response = await fetch(url, {
        headers: { accept: 'application/json', ...(last?.etag && { 'if-none-match': last.etag }) },
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (response.status === 304 && last) return last;
      asked = Number(response.headers.get('retry-after')) * 1000 || 0;
      if (!response.ok) throw new Error(`The status summary answered ${response.status}.`);
      const summary: unknown = await response.json();
      if (!isSummary(summary)) throw new Error('What answered is no status summary.');
      last = { summary, etag: response.headers.get('etag') };
      return last;
    },
    /** How long the server asked to be left alone, in milliseconds. */
    retryAfter: () => asked,
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

/** Somewhere between the shortest and the longest, so that readers do not come all at once. */
function pause(atLeast: number): number {
  return Math.min(MOST_PAUSE, Math.max(atLeast, SHORTEST + Math.random() * (LONGEST - SHORTEST)));
}

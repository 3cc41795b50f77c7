import { decodeJwt } from 'jose';

/** The events that end tokens. */
const ENDINGS = [
  'session.revoked',
  'session.entry.revoked',
  'session.reauthenticated',
  'session.reuse_detected',
  'membership.blocked',
  'membership.deleted',
  'organization.member.removed',
  'organization.blocked',
  'organization.deleted',
  'user.deleted',
  'user.consent.revoked',
  'user.impersonation.ended',
  'application.*',
  'api.*',
].join();

const WAIT_SECONDS = 30;
/** How long a response of the feed counts as current: the next one waits for events, and takes time on the network. */
const CURRENT_MS = (WAIT_SECONDS + 15) * 1000;
/** No access token lives longer. */
const TOKEN_MS = 3_600_000;
/**
 * Tokens and endings get their times from several processes, whose clocks may differ, and an ending may be stored after tokens
 * that were issued later.
 */
const CLOCKS_MS = 10_000;
const PAUSE_MS = 1_000;

type Ending = { occurredAt: string; data: { userId?: string } };

type Feed = { items: Ending[]; nextAfter: number; more: boolean };

/** The last endings, in milliseconds since the epoch: of each person, and those that may concern everyone. */
class Endings {
  readonly #ofPeople = new Map<string, number>();
  #ofAll: number;
  #latest: number;

  constructor(began: number) {
    this.#ofAll = began;
    this.#latest = began;
  }

  add({ occurredAt, data: { userId } }: Ending): void {
    const at = Date.parse(occurredAt);
    this.#latest = Math.max(this.#latest, at);
    if (userId === undefined) this.#ofAll = Math.max(this.#ofAll, at);
    else this.#ofPeople.set(userId, Math.max(this.#ofPeople.get(userId) ?? 0, at));
  }

  dropBefore(time: number): void {
    for (const [userId, at] of this.#ofPeople) if (at < time) this.#ofPeople.delete(userId);
  }

  /** A pairwise subject does not say who it is, so the endings of all people count. */
  mayHaveEnded({
    sub = '',
    iat = 0,
    client_id: clientId,
  }: {
    sub?: string;
    iat?: number;
    client_id?: unknown;
  }): boolean {
    const isKnown = sub.startsWith('usr_') || sub === clientId;
    const last = isKnown ? Math.max(this.#ofAll, this.#ofPeople.get(sub) ?? 0) : this.#latest;
    return iat * 1000 <= last + CLOCKS_MS;
  }
}

export type EndingsOptions = {
  /** The address of Latchkey's API. */
  apiUrl: string;
  /** Gives a management token with `events:read`: `managementTokens(…)`. */
  token: () => Promise<string>;
  /** Asks about a token that may have ended: `introspection(…)` or `liveSession(…)`. */
  ask: (token: string) => Promise<boolean>;
};

/**
 * Follows the event feed, and asks about a token only if something of its person, or an application or API, changed after it was
 * issued. It also asks about tokens from before it began, and about all while the feed cannot be read.
 * @returns `isLive` for `tokenVerifier`, and `stop`, which ends the request that waits
 */
export function followEndings({ apiUrl, token, ask }: EndingsOptions): {
  isLive: (token: string) => Promise<boolean>;
  stop: () => void;
} {
  const stopped = new AbortController();
  let endings: Endings | null = null;
  let currentUntil = 0;

  async function read(after: string): Promise<string> {
    const began = Date.now();
    const url = `${apiUrl}/v1/admin/events?types=${ENDINGS}&limit=100&after=${after}&wait=${endings ? WAIT_SECONDS : 0}`;
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${await token()}` },
      redirect: 'error',
      signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(CURRENT_MS)]),
    });
    if (!response.ok) throw new Error(`Latchkey did not give its events: ${response.status}`);
    const { items, nextAfter, more }: Feed = Object(await response.json());
    // A process that was suspended may read a response of long ago.
    if (Date.now() - began > CURRENT_MS) throw new Error('The response of the event feed is too old.');
    // Tokens say when they were issued by Latchkey's clock.
    const now = Date.parse(response.headers.get('date') ?? '') || Date.now();
    endings ??= new Endings(now);
    for (const ending of items) endings.add(ending);
    endings.dropBefore(now - TOKEN_MS - CLOCKS_MS);
    currentUntil = more ? 0 : Date.now() + CURRENT_MS;
    return String(nextAfter);
  }

  async function follow(): Promise<void> {
    let after = 'latest';
    while (!stopped.signal.aborted) {
      try {
        // biome-ignore lint/performance/noAwaitInLoops: one response after the other
        after = await read(after);
      } catch {
        // Until it can be read again, all tokens are asked about.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
      }
    }
  }

  follow().catch(() => undefined);
  return {
    isLive: async (text) =>
      endings && Date.now() < currentUntil && !endings.mayHaveEnded(decodeJwt(text)) ? true : ask(text),
    stop: () => stopped.abort(),
  };
}

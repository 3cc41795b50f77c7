import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectAlone } from './connections.ts';
import type { TxCtx } from './ctx.ts';

const CHANNEL = 'latchkey_changes';
const MAX_BACKOFF_MS = 5_000;
/** A silent connection counts as live for at most the sum of both. */
const CHECK_MS = 2_000;
const RESPONSE_MS = 3_000;
/** How long a process may miss a change before it notices, and asks the database from then on. */
export const MAX_DEAF_MS = CHECK_MS + RESPONSE_MS;

/** A feed's connection has this `application_name`, followed by the tag of its process. */
export const FEED_NAME = 'latchkey-feed';

/** The topic of the notifications by which a feed proves that it works. */
const PROOF = 'proof';

/** A change of state that processes cache: `topic` names the kind, `key` the record. */
export type Change = { topic: string; key: string };

type Subscriber = {
  /** Runs at every (re)connect, before the feed counts as live; catches up on the changes missed while it was down. */
  replay: () => Promise<void>;
  /** Handles a change. If that fails, the feed reconnects, and {@link replay} catches up. */
  onChange: (change: Change) => void | Promise<void>;
};

/** Sends a notification to a channel, over the address of the database that announces changes. */
type Notify = (channel: string, payload: string) => Promise<unknown>;

/**
 * Changes of all processes, over PostgreSQL LISTEN/NOTIFY. A cache may be trusted only while {@link live}; otherwise
 * the process must ask the database (fails closed). The feed is live while its own notifications arrive, which a pooler
 * or an address of another database in between would prevent.
 */
export class ChangeFeed {
  readonly #url: string;
  readonly #notify: Notify;
  readonly #log: Logger;
  readonly #subscribers: Subscriber[] = [];
  #client: pg.Client | null = null;
  #live = false;
  #stopped = false;
  #backoffMs = 50;
  #retry: NodeJS.Timeout | null = null;
  #check: NodeJS.Timeout | null = null;
  #proof: { key: string; arrived: () => void } | null = null;
  #roundTripMs: number | null = null;
  readonly #tag: string;
  #name: string;

  /** @param instance the tag of this process, of four characters */
  constructor(url: string, notify: Notify, { log, instance }: { log: Logger; instance: string }) {
    this.#url = url;
    this.#notify = notify;
    this.#log = log;
    this.#tag = `${FEED_NAME} ${instance}`;
    this.#name = this.#tag;
  }

  get live(): boolean {
    return this.#live;
  }

  /** The milliseconds between sending and receiving the last notification to itself; null before the first. */
  get roundTripMs(): number | null {
    return this.#roundTripMs;
  }

  /** Adds a subscriber. One that is added after {@link start} catches up immediately. */
  async subscribe(subscriber: Subscriber): Promise<void> {
    this.#subscribers.push(subscriber);
    if (this.#live) await subscriber.replay();
  }

  /** Adds a text about this process to the `application_name` of its connection. At most 44 characters. */
  async describe(text: string): Promise<void> {
    this.#name = `${this.#tag} ${text}`;
    await this.#client?.query("select set_config('application_name', $1, false)", [this.#name]);
  }

  /** Connects, and reconnects until {@link stop}. */
  async start(): Promise<void> {
    this.#stopped = false;
    let client: pg.Client | null = null;
    try {
      client = await connectAlone(this.#url, { name: this.#name, timeoutMs: RESPONSE_MS });
      if (this.#stopped) await client.end();
      else await this.#listenOn(client);
    } catch (error) {
      this.#lost(client, error);
    }
  }

  async #listenOn(client: pg.Client): Promise<void> {
    this.#client = client;
    client.on('notification', (message) => this.#receive(message.payload ?? ''));
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('connection ended')));
    await client.query(`listen ${CHANNEL}`);
    await this.#prove();
    await Promise.all(this.#subscribers.map((subscriber) => subscriber.replay()));
    if (this.#client !== client || this.#stopped) return;
    this.#live = true;
    this.#backoffMs = 50;
    this.#checkLater(client);
  }

  /** Proves regularly, because a connection that only listens does not notice a network that drops traffic. */
  #checkLater(client: pg.Client): void {
    this.#check = setTimeout(() => {
      this.#prove().then(
        () => this.#client === client && this.#checkLater(client),
        (error: unknown) => this.#lost(client, error),
      );
    }, CHECK_MS);
  }

  /** Publishes a notification like a change, and waits until it arrives. */
  async #prove(): Promise<void> {
    const key = randomUUID();
    const began = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#proof = { key, arrived: resolve };
    const late = () => reject(new Error('a notification of this process did not arrive'));
    // After a pause of the process, notifications that arrived in the meantime are read first.
    const timer = setTimeout(() => setImmediate(late), RESPONSE_MS);
    try {
      await Promise.all([promise, this.#notify(CHANNEL, `${PROOF} ${key}`)]);
      this.#roundTripMs = performance.now() - began;
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#live = false;
    if (this.#retry) clearTimeout(this.#retry);
    if (this.#check) clearTimeout(this.#check);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  /** Applies a change in this process only; other processes learn of it from the database. */
  apply(change: Change): void {
    for (const subscriber of this.#subscribers) {
      const work = subscriber.onChange(change);
      work?.catch((error: unknown) => this.#client && this.#lost(this.#client, error));
    }
  }

  #receive(payload: string): void {
    const separator = payload.indexOf(' ');
    const change = { topic: payload.slice(0, separator), key: payload.slice(separator + 1) };
    if (change.topic !== PROOF) this.apply(change);
    else if (change.key === this.#proof?.key) this.#proof.arrived();
  }

  /** @param client null if there was no connection yet */
  #lost(client: pg.Client | null, error: unknown): void {
    if (this.#client !== client || this.#stopped) return;
    this.#client = null;
    this.#live = false;
    if (this.#check) clearTimeout(this.#check);
    this.#log.warn({ err: error }, 'change feed is down: every request asks the database until it is back');
    client?.end().catch(() => undefined);
    this.#retry = setTimeout(() => {
      this.start().catch((failure: unknown) => this.#log.error({ err: failure }, 'change feed'));
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }
}

/** Publishes a change to all processes when the transaction commits; this process applies it right after the commit. */
export async function announce(tx: TxCtx, change: Change): Promise<void> {
  const payload = `${change.topic} ${change.key}`;
  await tx.db.selectNoFrom((eb) => eb.fn('pg_notify', [eb.val(CHANNEL), eb.val(payload)]).as('sent')).execute();
  tx.afterCommit(() => tx.system.feed.apply(change));
}

/** A statement for a connection outside the pool. */
export type Statement = { name: string; text: string; values: unknown[] };

/** The statement that publishes changes of one topic to all processes when its transaction commits. */
export function announceStatement(topic: string, keys: readonly string[]): Statement {
  return {
    name: 'announce',
    text: 'select pg_notify($1, $2 || key) from unnest($3::text[]) as key',
    values: [CHANNEL, `${topic} `, keys],
  };
}

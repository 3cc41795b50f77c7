import { AsyncLocalStorage } from 'node:async_hooks';
import { type ControlledTransaction, type IsolationLevel, sql } from 'kysely';
import type { ReadDb, Tables } from './db.ts';
import { FairQueue } from './fair-queue.ts';
import { inTransaction } from './held-connections.ts';
import { connectionsOf, perSystem, type System } from './system.ts';

type AfterCommit = (work: () => void) => void;
type Work<T> = (db: ControlledTransaction<Tables>, afterCommit: AfterCommit) => Promise<T>;

export type UnitOptions = {
  isolation: IsolationLevel;
  /** The caller; callers take turns. */
  caller: string;
  /** Called when the unit acquires a connection, and when it releases it. */
  note: (held: boolean) => void;
  /** The first statements of the transaction. An error they throw ends the request. */
  first?: (db: ControlledTransaction<Tables>) => Promise<void>;
  /** Undoes `first` when the transaction ends before the request does. */
  unclaim?: (db: ControlledTransaction<Tables>) => Promise<void>;
  /** Called once, when the unit has ended. */
  ended?: () => void;
};

/**
 * A request that is one transaction: the writes of its handler and what the edge stores about it commit or roll back
 * together. What would otherwise be a transaction of its own becomes a savepoint, so that a change that must outlive a
 * refusal (such as an ended session) still does. The transaction starts with the first part: until then the request
 * holds no connection and may do slow work such as hashing.
 */
export class Unit {
  /** Reads in the transaction once it has started. */
  readonly db: ReadDb;
  readonly #system: System;
  readonly #options: UnitOptions;
  readonly #inside = new AsyncLocalStorage<true>();
  #leave: () => void = () => undefined;
  #open: ControlledTransaction<Tables> | null = null;
  #beginning: Promise<ControlledTransaction<Tables>> | null = null;
  #ended = false;
  #committed: (() => void)[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  constructor(system: System, options: UnitOptions) {
    this.#system = system;
    this.#options = options;
    this.db = new Proxy(system.db, {
      get: (outside, name) => {
        const db = this.#open ?? outside;
        const value: unknown = Reflect.get(db, name, db);
        return typeof value === 'function' ? value.bind(db) : value;
      },
    });
  }

  /** True while the unit holds a connection. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** True in the work of a part. */
  get isInside(): boolean {
    return this.#inside.getStore() === true;
  }

  /**
   * Starts the transaction unless it has started.
   * @throws Problem SERVICE_UNAVAILABLE if too many others wait, and what `first` throws
   */
  begin(): Promise<ControlledTransaction<Tables>> {
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  async #begin(): Promise<ControlledTransaction<Tables>> {
    const { isolation, caller, note, first } = this.#options;
    this.#leave = await turns(this.#system).take(caller);
    try {
      this.#open = await connectionsOf(this.#system).db.startTransaction().setIsolationLevel(isolation).execute();
      note(true);
      await first?.(this.#open);
      return this.#open;
    } catch (error) {
      await this.#undo();
      throw error;
    }
  }

  /** Runs `work` as one part. Parts run one after the other, because they share a connection. */
  part<T>(work: Work<T>): Promise<T> {
    const open = this.#inside.getStore() && this.#open;
    if (open) return work(open, (callback) => this.#committed.push(callback));
    const turn = this.#tail.then(async () => {
      const db = await this.begin();
      return this.#inside.run(true, () => this.#run(db, work));
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Commits what was written so far, without the claim of the request, so that a slow call holds no connection. The next
   * part begins another transaction, and claims again. The request is then no longer one transaction, as without a key.
   */
  pause(): Promise<void> {
    const turn = this.#tail.then(async () => {
      const open = this.#open;
      if (!open) return;
      try {
        await this.#options.unclaim?.(open);
        await open.commit().execute();
      } catch (error) {
        await this.#undo();
        throw error;
      }
      this.#release();
      this.#beginning = null;
      for (const callback of this.#committed.splice(0)) callback();
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Commits the transaction. If that fails, it is rolled back and the error says why. */
  async commit(): Promise<void> {
    await this.#tail;
    try {
      await this.#open?.commit().execute();
    } catch (error) {
      await this.rollback();
      throw error;
    }
    this.#end();
    for (const callback of this.#committed) callback();
  }

  /** Rolls the transaction back; does nothing if it has ended. */
  async rollback(): Promise<void> {
    await this.#tail;
    await this.#undo();
    this.#end();
  }

  async #undo(): Promise<void> {
    const open = this.#open;
    try {
      // On a lost connection there is nothing to roll back.
      if (open && !open.isCommitted && !open.isRolledBack) await open.rollback().execute();
    } catch {
    } finally {
      this.#release();
    }
  }

  #release(): void {
    this.#open = null;
    this.#options.note(false);
    this.#leave();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#release();
    this.#options.ended?.();
  }

  async #run<T>(db: ControlledTransaction<Tables>, work: Work<T>): Promise<T> {
    const before = this.#committed.length;
    await sql`savepoint part`.execute(db);
    try {
      const result = await inTransaction(() => work(db, (callback) => this.#committed.push(callback)));
      await sql`release savepoint part`.execute(db);
      return result;
    } catch (error) {
      this.#committed = this.#committed.slice(0, before);
      await sql`rollback to savepoint part`.execute(db);
      throw error;
    }
  }
}

/**
 * The limit must stay below the pool size: a unit holds its connection to the end and may need others meanwhile, so
 * using all of them would deadlock. One caller gets at most half; a caller that waits too long is refused.
 */
const turns = perSystem(({ config }) => {
  const atOnce = Math.floor(config.database.pool / 2);
  return new FairQueue({ atOnce, atOncePerCaller: Math.ceil(atOnce / 2), waiting: 300, waitSeconds: 10 });
});

/** Serialises the requests of one key; the others wait without a connection. */
export const keyTurns = perSystem(
  () => new FairQueue({ atOnce: Number.POSITIVE_INFINITY, atOncePerCaller: 1, waiting: 300, waitSeconds: 10 }),
);

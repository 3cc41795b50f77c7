import { AsyncLocalStorage } from 'node:async_hooks';
import { type ControlledTransaction, type IsolationLevel, sql } from 'kysely';
import type { Tables } from './db.ts';
import { inTransaction } from './held-connections.ts';
import { perSystem, type System } from './system.ts';

type AfterCommit = (work: () => void) => void;
type Work<T> = (db: ControlledTransaction<Tables>, afterCommit: AfterCommit) => Promise<T>;

/**
 * A request that is one transaction: everything its handler does, and what the edge stores about it, is kept or lost together.
 * What would have been a transaction of its own becomes a part, kept or lost by itself within it, so that what is meant to
 * outlive a refusal (an ended session) still does.
 */
export class Unit {
  readonly db: ControlledTransaction<Tables>;
  readonly #leave: () => void;
  readonly #inside = new AsyncLocalStorage<true>();
  #committed: (() => void)[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(db: ControlledTransaction<Tables>, leave: () => void) {
    this.db = db;
    this.#leave = leave;
  }

  /** Begins when there is room, and nobody in this process works under the same `key`. */
  static async begin(system: System, isolation: IsolationLevel, key?: string): Promise<Unit> {
    const leave = await turns(system).take(key);
    try {
      return new Unit(await system.db.startTransaction().setIsolationLevel(isolation).execute(), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Runs `work` as one part; parts follow one another, as they share a connection. */
  part<T>(work: Work<T>): Promise<T> {
    if (this.#inside.getStore()) return work(this.db, (callback) => this.#committed.push(callback));
    const turn = this.#tail.then(() => this.#inside.run(true, () => this.#run(work)));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the transaction, kept. When that fails it is lost, and the error says why. */
  async commit(): Promise<void> {
    await this.#tail;
    try {
      await this.db.commit().execute();
    } catch (error) {
      await this.rollback();
      throw error;
    }
    this.#leave();
    for (const callback of this.#committed) callback();
  }

  /** Ends the transaction, lost; one that has ended already stays as it is. */
  async rollback(): Promise<void> {
    await this.#tail;
    try {
      // On a lost connection there is nothing left to undo.
      if (!this.db.isCommitted && !this.db.isRolledBack) await this.db.rollback().execute();
    } catch {
    } finally {
      this.#leave();
    }
  }

  async #run<T>(work: Work<T>): Promise<T> {
    const before = this.#committed.length;
    await sql`savepoint part`.execute(this.db);
    try {
      const result = await inTransaction(() => work(this.db, (callback) => this.#committed.push(callback)));
      await sql`release savepoint part`.execute(this.db);
      return result;
    } catch (error) {
      this.#committed = this.#committed.slice(0, before);
      await sql`rollback to savepoint part`.execute(this.db);
      throw error;
    }
  }
}

/**
 * A unit holds a connection to its end and may need others on the way, so fewer than the pool has may be under way: were it
 * all of them, each would wait for another's.
 */
const MOST_AT_ONCE = 6;

class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #byKey = new Map<string, Promise<void>>();

  /** Waits until nobody holds `key` and there is room. @returns ends the turn; more calls of it do nothing */
  async take(key?: string): Promise<() => void> {
    const free = key === undefined ? undefined : await this.#hold(key);
    if (this.#running < MOST_AT_ONCE) this.#running += 1;
    else
      await new Promise<void>((admit) => {
        this.#waiting.push(admit);
      });
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
      free?.();
    };
  }

  async #hold(key: string): Promise<() => void> {
    for (let before = this.#byKey.get(key); before; before = this.#byKey.get(key)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other is the purpose
      await before;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#byKey.set(key, promise);
    return () => {
      this.#byKey.delete(key);
      resolve();
    };
  }
}

const turns = perSystem(() => new Turns());

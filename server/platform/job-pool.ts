import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { mayPassLater } from './db.ts';

/** The statements of graphile-worker that remove a finished job and put a failed one back, by their names. */
const ENDS_JOB = /^(?:complete|fail)_job/;
/** The statements that register the tasks of a runner: it keeps the failure of one for good and never takes a job. */
const REGISTERS_TASKS = /\b_private_tasks as tasks\b/;
const RETRY_MS = 500;

type Ends = { log: Logger; isStopped: () => boolean };

/**
 * A pool for graphile-worker, which does not survive the failure of a statement that removes a finished job, puts a failed
 * one back or registers tasks. Here these statements are repeated until the database is there: a second time they change nothing.
 */
export function poolOfJobs(pool: pg.Pool, ends: Ends): pg.Pool {
  const connect = (callback?: Parameters<pg.Pool['connect']>[0]) =>
    callback ? pool.connect(callback) : Promise.resolve(new JobClient(pool, ends));
  return Object.create(pool, { connect: { value: connect } });
}

function mustSucceed({ name = '', text }: pg.QueryConfig): boolean {
  return ENDS_JOB.test(name) || REGISTERS_TASKS.test(text);
}

/** A connection that is taken when a statement needs it, because the pool may have none for the end of a job. */
class JobClient {
  readonly #pool: pg.Pool;
  readonly #ends: Ends;
  #taken: Promise<pg.PoolClient> | null = null;
  /** A statement may still be running on the connection, or a transaction be open. */
  #spoiled = false;

  constructor(pool: pg.Pool, ends: Ends) {
    this.#pool = pool;
    this.#ends = ends;
  }

  async query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    if (typeof statement === 'object' && mustSucceed(statement)) return this.#insist(statement);
    this.#taken ??= this.#pool.connect();
    const client = await this.#taken;
    return client.query(statement, values).catch((error: unknown) => {
      this.#spoiled = true;
      throw error;
    });
  }

  async release(): Promise<void> {
    const client = await this.#taken?.catch(() => null);
    client?.release(this.#spoiled);
  }

  async #insist(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    for (;;) {
      try {
        // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
        return await this.#pool.query(statement);
      } catch (error) {
        // When this process has ended, another one runs the job again.
        if (this.#ends.isStopped()) return { rows: [], rowCount: 0, command: '', oid: 0, fields: [] };
        if (!mayPassLater(error)) throw error;
        this.#ends.log.warn({ err: error }, 'a statement of the job queue failed, and is tried again');
        await pause(RETRY_MS);
      }
    }
  }
}

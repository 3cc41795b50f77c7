import type pg from 'pg';
import { advisoryLocks } from '#platform/advisory-locks.ts';

/**
 * Where an installation is divided over several servers, its workspaces are in this many groups, and each group has a
 * leader, so that several processes number events side by side. All processes must use the same number.
 */
const GROUPS = 16;

const LOCK = advisoryLocks.eventDispatcher;

/** What a process numbers: everything, or groups of workspaces. */
export type Led = 'all' | readonly number[];

/** The events of the groups in the parameter `$2`. */
export const IN_GROUPS = `(hashtext(workspace_id) & ${GROUPS - 1}) = any ($2::integer[])`;

/**
 * The groups that a connection leads: it holds an advisory lock for each. On one server there is one lock for all. Where the
 * installation is divided, every process that may lead shares that lock, which keeps out processes that would take all, and
 * shows how many there are; each takes its share of the groups and gives back what is more.
 */
export class Leadership {
  readonly #client: pg.ClientBase;
  readonly #divided: boolean;
  readonly #groups = new Set<number>();
  /** Whether this connection has the lock of the installation, alone or (divided) with others. */
  #entered = false;

  constructor(client: pg.ClientBase, { divided }: { divided: boolean }) {
    this.#client = client;
    this.#divided = divided;
  }

  /** What this connection leads now. */
  get led(): Led {
    return this.#entered && !this.#divided ? 'all' : [...this.#groups];
  }

  /** Takes what is free, up to the share of this process. */
  async seek(): Promise<Led> {
    this.#entered ||= await this.#enter();
    if (this.#entered && this.#divided) await this.#balance();
    return this.led;
  }

  async #enter(): Promise<boolean> {
    const take = this.#divided ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const { rows } = await this.#client.query<{ taken: boolean }>(`select ${take}($1) as taken`, [LOCK]);
    return rows[0]?.taken === true;
  }

  async #balance(): Promise<void> {
    const { rows } = await this.#client.query<{ processes: number }>(PROCESSES, [LOCK]);
    const share = Math.ceil(GROUPS / Math.max(1, rows[0]?.processes ?? 1));
    const surplus = [...this.#groups].slice(share);
    if (surplus.length > 0) await this.#client.query(RELEASE, [LOCK, surplus]);
    for (const group of surplus) this.#groups.delete(group);
    if (this.#groups.size >= share) return;
    const others = Array.from({ length: GROUPS }, (_, group) => group).filter((group) => !this.#groups.has(group));
    const taken = await this.#client.query<{ group: number }>(TAKE, [LOCK, others, share - this.#groups.size]);
    for (const { group } of taken.rows) this.#groups.add(group);
  }
}

/** The connections to this database that share the lock. A lock of one number is in two halves of 32 bits. */
const PROCESSES = `
select count(*) as processes from pg_locks
where locktype = 'advisory' and objsubid = 1 and classid = 0 and objid = $1::bigint::oid and mode = 'ShareLock' and granted
  and database = (select oid from pg_database where datname = current_database())`;

const RELEASE = 'select pg_advisory_unlock($1::integer, "group") from unnest($2::integer[]) as "group"';

/** Tries the locks one by one, and stops when enough are taken. */
const TAKE = `
select "group" from unnest($2::integer[]) as "group" where pg_try_advisory_lock($1::integer, "group") limit $3`;

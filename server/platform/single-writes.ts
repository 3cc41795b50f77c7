import type pg from 'pg';
import type { Db } from './db.ts';
import { type Prepared, sending } from './prepared.ts';
import { connectionsOf, type System } from './system.ts';

/** Why one statement may write by itself. Nothing that a customer sees changes by it, so no event is due. */
type Reason =
  /** Removes what has expired. */
  | 'clean-up'
  /** Counts or measures, and is kept whatever becomes of the request. */
  | 'count'
  /** Notes what happened already outside of the database: a carrier, a payment provider, a certificate authority. */
  | 'outcome'
  /** Takes work or spends a token; of parallel calls, the statement lets one through. */
  | 'claim'
  /** Makes a key that every process needs; the first process wins. */
  | 'first'
  /** The storage of the OpenID provider, which knows no transactions. */
  | 'provider';

/** The database for one statement that writes without a transaction, because it is one by itself. */
export function singleWrite(system: System, _reason: Reason): Db {
  return connectionsOf(system).db;
}

/** A fixed statement of a hot path, as `prepared`, that writes. @param name unique in the code base */
export function preparedWrite<Row extends pg.QueryResultRow>(
  name: string,
  _reason: Reason,
  text: string,
): Prepared<Row> {
  return sending(name, text);
}

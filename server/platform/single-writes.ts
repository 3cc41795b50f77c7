import type pg from 'pg';
import type { Db } from './db.ts';
import { type Prepared, sending, type Text } from './prepared.ts';
import { connectionsOf, type System } from './system.ts';

/**
 * Why a single statement may write outside a transaction. None of them changes what a customer sees, so no event is
 * due.
 */
type Reason =
  /** Deletes expired rows. */
  | 'clean-up'
  /** Counts or measures; persists whatever the outcome of the request. */
  | 'count'
  /** Records what already happened outside the database: at a carrier, a payment provider, a certificate authority. */
  | 'outcome'
  /** Claims work or spends a token; of concurrent calls exactly one succeeds. */
  | 'claim'
  /** Creates a key that every process needs; the first process wins. */
  | 'first'
  /** The storage of the OpenID provider, which has no transactions. */
  | 'provider';

/** The database for one writing statement outside a transaction; the statement itself is atomic. */
export function singleWrite(system: System, _reason: Reason): Db {
  return connectionsOf(system).db;
}

/**
 * A fixed writing statement of a hot path; see `prepared`.
 * @param name unique in the code base
 */
export function preparedWrite<Row extends pg.QueryResultRow>(name: string, _reason: Reason, text: Text): Prepared<Row> {
  return sending(name, text);
}

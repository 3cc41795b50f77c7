import type pg from 'pg';
import { notifyStatement, requireReading } from './db.ts';
import { connectionsOf, type System } from './system.ts';

export type Prepared<Row extends pg.QueryResultRow> = (
  system: System,
  values: unknown[],
) => Promise<pg.QueryResult<Row>>;

/**
 * A fixed read of a hot path. The text is sent unchanged, because building it with Kysely costs more than running it.
 * @param name unique in the code base
 */
export function prepared<Row extends pg.QueryResultRow>(name: string, text: string): Prepared<Row> {
  requireReading(text);
  return sending(name, text);
}

/** Sends a fixed statement over the pool. Writes use `preparedWrite`. */
export function sending<Row extends pg.QueryResultRow>(name: string, text: string): Prepared<Row> {
  return (system, values) => {
    notifyStatement(text);
    const { pool, measure } = connectionsOf(system);
    return measure(text, () => pool.query<Row>({ name, text, values }));
  };
}

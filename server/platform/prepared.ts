import type pg from 'pg';
import { FUNCTIONS_OF_DIVIDED } from '#migrations';
import { notifyStatement, requireReading } from './db.ts';
import { connectionsOf, perSystem, type System } from './system.ts';

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

/** A statement; where the installation is divided, one with the same parameters, results and effects that asks one server once. */
export type Text = string | { text: string; divided: string };

/** Sends a fixed statement over the pool. Writes use `preparedWrite`. */
export function sending<Row extends pg.QueryResultRow>(name: string, wanted: Text): Prepared<Row> {
  if (typeof wanted !== 'string') return sendingByPlace(name, wanted);
  return (system, values) => send(system, { name, text: wanted, values });
}

function sendingByPlace<Row extends pg.QueryResultRow>(
  name: string,
  { text, divided }: Exclude<Text, string>,
): Prepared<Row> {
  return async (system, values) =>
    (await isDivided(system))
      ? send(system, { name: `${name}-divided`, text: divided, values })
      : send(system, { name, text, values });
}

function send<Row extends pg.QueryResultRow>(system: System, query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
  notifyStatement(query.text);
  const { pool, measure } = connectionsOf(system);
  return measure(query.text, () => pool.query<Row>(query));
}

/**
 * Whether the database has the functions of a divided installation. A process that started before it was divided goes on
 * with the other statements, which run there too.
 */
const divisions = perSystem((system) => {
  let known: Promise<boolean> | null = null;
  const look = async () => {
    const { rows } = await connectionsOf(system).lookupPool.query<{ divided: boolean }>(
      'select bool_and(to_regprocedure(signature) is not null) as divided from unnest($1::text[]) signature',
      [FUNCTIONS_OF_DIVIDED.map(({ signature }) => signature)],
    );
    return rows[0]?.divided === true;
  };
  return () => {
    known ??= look().catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
});

/** Whether the installation is divided over several servers, as this process knows it. */
export const isDivided = (system: System): Promise<boolean> => divisions(system)();

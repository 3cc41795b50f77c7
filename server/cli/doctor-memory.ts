import type pg from 'pg';
import type { Finding } from './doctor.ts';

const MEGABYTE = 2 ** 20;
/** The pages that searches among a million members read fit into this. */
const ENOUGH = 1_024 * MEGABYTE;
/** A server that keeps less than this part of a database reads most pages from outside its memory at each search. */
const LEAST_SHARE = 1 / 8;

/** Checks that the server keeps enough of the database in memory. PostgreSQL's default is 128 MB. */
export async function checkMemory(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<Sizes>(
    `select pg_database_size(current_database())::float8 as size, pg_size_bytes(current_setting('shared_buffers'))::float8 as buffers`,
  );
  const [sizes] = rows;
  if (!sizes) throw new Error('unreachable: a select without from has a row');
  return memoryFinding(sizes);
}

/** Sizes in bytes: of the database, and of the memory that the server has for its pages (`shared_buffers`). */
type Sizes = { size: number; buffers: number };

/** Decides whether the memory is enough. */
export function memoryFinding({ size, buffers }: Sizes): Finding {
  const check = 'memory';
  const found = `${megabytes(buffers)} for ${megabytes(size)} of data (shared_buffers)`;
  if (buffers >= Math.min(ENOUGH, size * LEAST_SHARE)) return { check, state: 'ok', found };
  const remedy = "Set shared_buffers to a quarter of the server's memory, and restart it: docs/operations.md#memory.";
  return { check, state: 'warning', found, remedy };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

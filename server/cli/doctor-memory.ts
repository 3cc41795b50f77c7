import type pg from 'pg';
import type { Finding } from './doctor.ts';

const MEGABYTE = 2 ** 20;
/** With this much, the pages that searches among a million members read stay in memory. */
const ENOUGH = 1_024 * MEGABYTE;
/** A server that keeps less than this part of a database in memory reads most pages from disk at each search. */
const LEAST_SHARE = 1 / 8;

/** Whether the server keeps enough of the database in memory. PostgreSQL takes 128 MB unless it is told otherwise. */
export async function checkMemory(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ size: number; buffers: number }>(
    `select pg_database_size(current_database())::float8 as size, pg_size_bytes(current_setting('shared_buffers'))::float8 as buffers`,
  );
  const [sizes] = rows;
  if (!sizes) throw new Error('unreachable: a select without from has a row');
  return memoryFinding(sizes);
}

/** @param sizes in bytes: of the database, and of what the server keeps of it in memory (`shared_buffers`) */
export function memoryFinding({ size, buffers }: { size: number; buffers: number }): Finding {
  const check = 'memory of the database';
  const found = `${megabytes(buffers)} for ${megabytes(size)} of data (shared_buffers)`;
  if (buffers >= Math.min(ENOUGH, size * LEAST_SHARE)) return { check, state: 'ok', found };
  const remedy = "Set shared_buffers to a quarter of the server's memory, and restart it: docs/operations.md#memory.";
  return { check, state: 'warning', found, remedy };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

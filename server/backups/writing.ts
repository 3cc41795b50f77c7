import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { ZipFile } from 'yazl';
import { readSchema } from '#platform/applied-migrations.ts';
import { connectAlone } from '#platform/connections.ts';
import {
  copyStatement,
  MANIFEST,
  type Manifest,
  type Progress,
  RowMeter,
  type ShowProgress,
  type TableContent,
  type TableShape,
  tablesOf,
} from './archive.ts';

type Origin = Pick<Manifest, 'latchkey' | 'secretIds'>;

/**
 * Writes a consistent snapshot of the database to one ZIP file, also while Latchkey runs. The file is created
 * atomically. It contains no secrets of the configuration.
 */
export async function writeBackup(
  databaseUrl: string,
  file: string,
  { origin, showProgress }: { origin: Origin; showProgress: ShowProgress },
): Promise<Manifest> {
  const partial = `${file}.partial`;
  const client = await connectAlone(databaseUrl, { name: 'latchkey-backup', readOnly: true });
  try {
    await client.query('begin isolation level repeatable read read only');
    const content = await contentOf(client, origin);
    const archive = new ZipFile();
    const output = createWriteStream(partial, { mode: 0o600, flags: 'w' });
    const written = pipeline(archive.outputStream, output);
    archive.on('error', (error: Error) => output.destroy(error));
    const tables = await tablesOf(client);
    const progress = showProgress(
      'Rows written',
      tables.reduce((sum, { estimate }) => sum + estimate, 0),
    );
    addTables(archive, client, { tables, content, progress });
    archive.end({ forceZip64Format: true, comment: 'Latchkey backup' });
    await written;
    progress.end();
    await sync(partial);
    await rename(partial, file);
    return content;
  } finally {
    await rm(partial, { force: true });
    await client.end();
  }
}

async function contentOf(client: pg.Client, origin: Origin): Promise<Manifest> {
  const { newest } = await readSchema(client);
  const { rows: sequences } = await client.query<{ name: string; value: string | null }>(
    `select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value::text as value from pg_sequences
     where schemaname in ('public', 'graphile_worker') order by name`,
  );
  return {
    format: 1,
    ...origin,
    createdAt: new Date().toISOString(),
    schema: newest,
    tables: [],
    sequences,
  };
}

/** Adds the tables one after the other, then the manifest. */
function addTables(
  archive: ZipFile,
  client: pg.Client,
  { tables, content, progress }: { tables: TableShape[]; content: Manifest; progress: Progress },
): void {
  for (const table of tables)
    archive.addReadStreamLazy(`${table.name}.copy`, { forceZip64Format: true }, (give) => {
      const meter = new RowMeter(progress.advance);
      // A failure destroys the meter, and the archive sees that.
      pipeline(client.query(copyTo(copyStatement(table, 'to stdout'))), meter).catch(() => undefined);
      meter.once('end', () => content.tables.push(contentOfTable(table, meter)));
      give(null, meter);
    });
  archive.addReadStreamLazy(MANIFEST, (give) => give(null, Readable.from([JSON.stringify(content, null, 2)])));
}

function contentOfTable({ name, columns }: TableShape, meter: RowMeter): TableContent {
  return { name, columns, rows: meter.rows, sha256: meter.fingerprint() };
}

/** A backup that was reported as written must survive a loss of power. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.sync();
  await handle.close();
}

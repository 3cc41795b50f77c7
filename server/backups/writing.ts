import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { ZipFile } from 'yazl';
import { secretsOfDatabase } from '#keys';
import { readSchema } from '#platform/applied-migrations.ts';
import { connectAlone } from '#platform/connections.ts';
import { beginDividedSnapshot, readDivision } from '#platform/division.ts';
import {
  copyInto,
  copyStatement,
  MANIFEST,
  type Manifest,
  type Progress,
  prepareCopying,
  RowMeter,
  type ShowProgress,
  type TableContent,
  type TableShape,
  tablesOf,
} from './archive.ts';
import { encrypted } from './encryption.ts';

export type Writing = {
  latchkey: string;
  secretIds: readonly string[];
  /** Encrypts the backup; null: it stays readable. */
  key: string | null;
  showProgress: ShowProgress;
  /** Where the bytes go. It fails if not all of them arrive. */
  store: (content: Readable) => Promise<void>;
};

/** What was written, and how many bytes it took. */
export type Written = Manifest & { bytes: number };

/**
 * Writes a consistent snapshot of the database as a ZIP, also while Latchkey runs, and never holds more of it in memory
 * than what is on its way. It contains no secrets of the configuration.
 */
export async function writeBackup(databaseUrl: string, writing: Writing): Promise<Written> {
  const client = await connectAlone(databaseUrl, { name: 'latchkey-backup', readOnly: true });
  try {
    await prepareCopying(client);
    await beginSnapshot(client, databaseUrl);
    const content = await contentOf(client, writing);
    const tables = await tablesOf(client);
    const progress = writing.showProgress(
      'Rows written',
      tables.reduce((sum, { estimate }) => sum + estimate, 0),
    );
    const archive = new ZipFile();
    const plain = archive.outputStream.pipe(new PassThrough());
    archive.on('error', (error: Error) => plain.destroy(error));
    addTables(archive, client, { tables, content, progress, fail: (error) => plain.destroy(error) });
    archive.end({ forceZip64Format: true, comment: 'Latchkey backup' });
    const bytes = await storeCounted(
      writing.key === null ? plain : await encrypted(plain, writing.key),
      writing.store,
    ).finally(progress.end);
    return { ...content, bytes };
  } finally {
    await client.end();
  }
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

async function beginSnapshot(client: pg.Client, databaseUrl: string): Promise<void> {
  const { isDivided } = await readDivision(client);
  if (!isDivided) await client.query(SNAPSHOT);
  else await beginDividedSnapshot(client, databaseUrl, SNAPSHOT);
}

/** @returns the number of bytes */
async function storeCounted(content: Readable, store: Writing['store']): Promise<number> {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const [stored, piped] = await Promise.allSettled([store(counted), pipeline(content, counted)]);
  for (const result of [stored, piped]) if (result.status === 'rejected') throw result.reason;
  return bytes;
}

async function contentOf(client: pg.Client, { latchkey, secretIds }: Writing): Promise<Manifest> {
  const { newest } = await readSchema(client);
  const needed = await secretsOfDatabase(client);
  const { rows: sequences } = await client.query<{ name: string; value: string | null }>(
    `select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value::text as value from pg_sequences
     where schemaname in ('public', 'graphile_worker') order by name`,
  );
  return {
    format: 1,
    latchkey,
    // A secret that was configured, but not used yet, would not open the backup.
    secretIds: needed.length > 0 ? needed : [...secretIds],
    createdAt: new Date().toISOString(),
    schema: newest,
    tables: [],
    sequences,
  };
}

type Adding = { tables: TableShape[]; content: Manifest; progress: Progress; fail: (error: Error) => void };

/** Adds the tables one after the other, then the manifest. */
function addTables(archive: ZipFile, client: pg.Client, { tables, content, progress, fail }: Adding): void {
  for (const table of tables)
    archive.addReadStreamLazy(`${table.name}.copy`, { forceZip64Format: true }, (give) => {
      const meter = new RowMeter(progress.advance);
      copyInto(meter, client, { statement: copyStatement(table, 'to stdout'), fail });
      meter.once('end', () => content.tables.push(contentOfTable(table, meter)));
      give(null, meter);
    });
  archive.addReadStreamLazy(MANIFEST, (give) => give(null, Readable.from([JSON.stringify(content, null, 2)])));
}

function contentOfTable({ name, columns }: TableShape, meter: RowMeter): TableContent {
  return { name, columns, rows: meter.rows, sha256: meter.fingerprint() };
}

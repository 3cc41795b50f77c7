import { pipeline } from 'node:stream';
import type { Ctx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { recordOfCsv } from './import-rows.ts';
import { beginImport, dropImport, type ImportId, type MemberImport, queueImport, storeChunk } from './imports.ts';

export type ImportFormat = 'ndjson' | 'csv';

/** One gibibyte. */
const MAX_BYTES = 1_073_741_824;
/** A row is one person, with up to 16 KiB each of `customData` and `metadata`. */
const MAX_ROW_CHARACTERS = 131_072;
/** Rows per transaction: enough to spread its cost, few enough that a crash loses little work. */
const CHUNK_ROWS = 1_000;
const CHUNK_CHARACTERS = 1_048_576;

/**
 * Stores the rows of an import as they arrive, so that nothing depends on this process once it has responded. Memory
 * holds one chunk at a time.
 * @param progress is called with the number of bytes received
 * @throws Problem PAYLOAD_TOO_LARGE, VALIDATION_FAILED if the rows can't be parsed; then nothing is imported
 */
export async function receiveImport(
  ctx: Ctx,
  file: AsyncIterable<Buffer>,
  {
    format,
    dryRun,
    progress = () => undefined,
  }: { format: ImportFormat; dryRun: boolean; progress?: (bytes: number) => void },
): Promise<MemberImport> {
  const id = await beginImport(ctx, dryRun);
  let bytes = 0;
  const counted = (size: number) => {
    bytes += size;
    if (bytes > MAX_BYTES) throw problem('PAYLOAD_TOO_LARGE', 'An import can have up to 1 GiB; split the file.');
    progress(bytes);
  };
  try {
    const text = decoded(file, counted);
    const stored = await storeRows(ctx, id, format === 'csv' ? csvRows(text) : lines(text));
    if (stored.rows === 0) throw problem('VALIDATION_FAILED', 'The file has no rows.');
    return await queueImport(ctx, id, { bytes, ...stored });
  } catch (error) {
    await dropImport(ctx, id);
    throw error;
  }
}

async function storeRows(
  ctx: Ctx,
  id: ImportId,
  rows: AsyncIterable<string>,
): Promise<{ rows: number; chunks: number }> {
  let waiting: string[] = [];
  let characters = 0;
  const stored = { rows: 0, chunks: 0 };
  const flush = async () => {
    if (waiting.length === 0) return;
    await storeChunk(ctx, id, { number: stored.chunks, firstRow: stored.rows + 1, lines: waiting });
    stored.chunks += 1;
    stored.rows += waiting.length;
    waiting = [];
    characters = 0;
  };
  for await (const row of rows) {
    waiting.push(row);
    characters += row.length;
    if (waiting.length === CHUNK_ROWS || characters >= CHUNK_CHARACTERS) await flush();
  }
  await flush();
  return stored;
}

/** @throws Problem VALIDATION_FAILED for text that is not UTF-8 */
async function* decoded(file: AsyncIterable<Buffer>, counted: (size: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (part?: Buffer) => {
    try {
      return decoder.decode(part, { stream: part !== undefined });
    } catch {
      throw problem('VALIDATION_FAILED', 'The file must be UTF-8.');
    }
  };
  for await (const part of file) {
    counted(part.length);
    yield decode(part);
  }
  yield decode();
}

/**
 * Lines that are not empty.
 * @throws Problem VALIDATION_FAILED for one that is too long
 */
async function* lines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const part of text) {
    // PostgreSQL can't store NUL; escaped, only the row that contains it is rejected.
    const [first = '', ...others] = part.replaceAll('\0', '\\u0000').split('\n');
    rest += first;
    for (const next of others) {
      if (rest.trim() !== '') yield rest.trim();
      rest = next;
    }
    if (rest.length > MAX_ROW_CHARACTERS)
      throw problem('VALIDATION_FAILED', `A row may have up to ${MAX_ROW_CHARACTERS} characters.`);
  }
  if (rest.trim() !== '') yield rest.trim();
}

/** Records of a CSV file (RFC 4180) whose first line names the fields, as JSON. */
async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<string> {
  const { parse } = await import('csv-parse');
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true, max_record_size: MAX_ROW_CHARACTERS });
  // An error of the text also ends the stream of records, and is thrown where they are read.
  const records = pipeline(text, parser, () => undefined);
  try {
    for await (const record of records) yield JSON.stringify(recordOfCsv(record));
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))
      throw problem('VALIDATION_FAILED', `The CSV can't be read: ${error.message}`);
    throw error;
  }
}

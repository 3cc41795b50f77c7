import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { JSONParser } from '@streamparser/json';
import { StartError } from '#platform/start-error.ts';
import { type Fields, fieldsOf, listOf } from './fields.ts';

/** A record is one person; a longer line is no record. */
const MAX_LINE_CHARACTERS = 4_194_304;
const HEAD_BYTES = 65_536;

export type Reading = {
  /** The field of an object that holds the records, where the file is one object. */
  container?: string | undefined;
  /** Is called with the number of bytes read. */
  progress: (bytes: number) => void;
};

/**
 * The records of a file, one at a time: JSON (an array, or an object with the records in a field), JSON by lines, or
 * CSV whose first line names the fields. The file may be compressed with gzip.
 * @throws StartError if it is none of these
 */
export async function* recordsIn(path: string, { container, progress }: Reading): AsyncGenerator<Fields> {
  const name = path.toLowerCase().replace(/\.gz$/, '');
  try {
    if (name.endsWith('.csv')) return yield* csvRecords(textIn(path, progress));
    const form = await formOf(path, container);
    if (form === 'lines') yield* lineRecords(textIn(path, progress));
    else yield* jsonRecords(textIn(path, progress), form, container);
  } catch (error) {
    if (error instanceof StartError || !(error instanceof Error)) throw error;
    throw new StartError(`${path} cannot be read: ${error.message}`);
  }
}

function textIn(path: string, progress: Reading['progress']): Readable {
  const file = createReadStream(path);
  file.on('data', ({ length }) => progress(length));
  const stream = path.toLowerCase().endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
  return stream.setEncoding('utf8');
}

/** The beginning of a file, as text. */
export async function headOf(path: string): Promise<string> {
  if (path.toLowerCase().endsWith('.gz')) {
    for await (const part of textIn(path, () => undefined)) return withoutMark(String(part));
    return '';
  }
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return withoutMark(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Without the byte order mark that some editors write. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** How the records stand in a file: as lines, in an array, or in an object. */
async function formOf(path: string, container: string | undefined): Promise<'lines' | 'array' | 'object'> {
  const head = (await headOf(path)).trimStart();
  if (head.startsWith('[')) return 'array';
  if (!head.startsWith('{')) throw new StartError(`${path} is no JSON. Name a CSV file .csv.`);
  const [line = ''] = head.split('\n', 1);
  try {
    const first = fieldsOf(JSON.parse(line));
    return container !== undefined && Array.isArray(first[container]) ? 'object' : 'lines';
  } catch {
    // The line is cut, or the object goes on in the next one.
    return container === undefined ? 'lines' : 'object';
  }
}

async function* jsonRecords(
  text: AsyncIterable<string>,
  form: 'array' | 'object',
  container: string | undefined,
): AsyncGenerator<Fields> {
  const parser = new JSONParser({ paths: [form === 'array' ? '$.*' : `$.${container}.*`], keepStack: false });
  let found: Fields[] = [];
  parser.onValue = ({ value }) => {
    const record = fieldsOf(value);
    // An array of realms, each with its people.
    const inner = container === undefined ? [] : listOf(record[container]);
    found.push(...(inner.length > 0 ? inner.map(fieldsOf) : [record]));
  };
  let first = true;
  for await (const part of text) {
    parser.write(first ? withoutMark(part) : part);
    first = false;
    yield* found;
    found = [];
  }
  if (!parser.isEnded) throw new Error('the JSON ends too early');
}

async function* lineRecords(text: AsyncIterable<string>): AsyncGenerator<Fields> {
  let number = 0;
  const read = (line: string): Fields[] => {
    number += 1;
    if (line.trim() === '') return [];
    try {
      return [fieldsOf(JSON.parse(number === 1 ? withoutMark(line) : line))];
    } catch {
      throw new Error(`line ${number} is no JSON`);
    }
  };
  let rest = '';
  for await (const part of text) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) throw new Error(`line ${number + lines.length + 1} is too long`);
    for (const line of lines) yield* read(line);
  }
  yield* read(rest);
}

async function* csvRecords(text: Readable): AsyncGenerator<Fields> {
  const { parse } = await import('csv-parse');
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true, max_record_size: MAX_LINE_CHARACTERS });
  const records = pipeline(text, parser, () => undefined);
  for await (const record of records) yield fieldsOf(record);
}

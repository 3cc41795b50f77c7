import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { RandomAccessReader } from 'yauzl';

/** The bytes of a backup, wherever they are. `read` streams those from `start` up to `end`, which is not included. */
export type Source = { size: number; read: (start: number, end: number) => Readable };

/** @throws Error if there is no such file */
export async function fileSource(path: string): Promise<Source> {
  await access(path, constants.R_OK);
  const { size } = await stat(path);
  return {
    size,
    read: (start, end) => (end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([])),
  };
}

const TAIL_BYTES = 262_144;

/** Reads the end of a source once: the directory of a ZIP is there, and is read in many small pieces. */
export async function withTail(source: Source): Promise<Source> {
  const from = Math.max(0, source.size - TAIL_BYTES);
  const tail = source.size === 0 ? Buffer.alloc(0) : await buffer(source.read(from, source.size));
  return {
    size: source.size,
    read: (start, end) =>
      start >= from ? Readable.from([tail.subarray(start - from, end - from)]) : source.read(start, end),
  };
}

/** Reads a ZIP from a source. */
export class SourceReader extends RandomAccessReader {
  readonly #source: Source;

  constructor(source: Source) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.#source.read(start, end);
  }
}

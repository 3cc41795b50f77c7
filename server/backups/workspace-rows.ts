import { hash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { Keyring } from '#platform/keyring.ts';
import type { SealedField } from './workspace-tables.ts';

const NULL = '\\N';
const TAB = '\t';
const LINE_FEED = 10;
const MODULUS = 1n << 256n;

/**
 * A number that depends on every row of a table and not on their order, because another database stores them in another one: the sum
 * of the SHA-256 of each. Sealed values count with what is sealed in them.
 */
class Fingerprint {
  #sum = 0n;

  add(row: Buffer | string): void {
    this.#sum = (this.#sum + BigInt(`0x${hash('sha256', row, 'hex')}`)) % MODULUS;
  }

  toString(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}

type Resealing = {
  /** The number of columns of the table. Behind them, a row has the record of each sealed field, or null if it is not sealed. */
  columns: number;
  sealed: readonly SealedField[];
  from: Keyring;
  /** Null: nothing is passed on, the rows are only counted. */
  to: Keyring | null;
  /** Whether the records are passed on. */
  keepsRecords: boolean;
  /** Whether values that do not open stay as they are, like those of a lost key. */
  lenient: boolean;
  advance: (rows: number) => void;
};

/** Passes rows in the text format of COPY through. It seals their sealed values with another key ring, counts rows and adds them up. */
export class SealedRows extends Transform {
  rows = 0;
  readonly #resealing: Resealing;
  readonly #fingerprint = new Fingerprint();
  #rest: Buffer = Buffer.alloc(0);

  constructor(resealing: Resealing) {
    super();
    this.#resealing = resealing;
  }

  get fingerprint(): string {
    return this.#fingerprint.toString();
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: Error | null, out?: Buffer) => void,
  ): void {
    try {
      const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      const out: Buffer[] = [];
      const before = this.rows;
      let from = 0;
      // In COPY's text format a line feed always ends a row.
      for (let at = data.indexOf(LINE_FEED); at !== -1; at = data.indexOf(LINE_FEED, from)) {
        out.push(this.#row(data.subarray(from, at)));
        from = at + 1;
      }
      this.#rest = Buffer.from(data.subarray(from));
      this.#resealing.advance(this.rows - before);
      if (this.#resealing.to) done(null, Buffer.concat(out));
      else done(null);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _flush(done: (error: Error | null) => void): void {
    done(this.#rest.length === 0 ? null : new Error('the last row is cut off'));
  }

  #row(line: Buffer): Buffer {
    this.rows += 1;
    const { columns, sealed, keepsRecords } = this.#resealing;
    if (sealed.length === 0) {
      this.#fingerprint.add(line);
      return Buffer.concat([line, Buffer.from('\n')]);
    }
    const fields = line.toString('utf8').split(TAB);
    if (fields.length !== columns + sealed.length) throw new Error('a row has too many or too few columns');
    const plain = fields.slice(0, columns);
    const passed = [...fields];
    for (const [index, field] of sealed.entries()) this.#reseal(field, columns + index, { plain, passed });
    this.#fingerprint.add(plain.join(TAB));
    return Buffer.from(`${(keepsRecords ? passed : passed.slice(0, columns)).join(TAB)}\n`);
  }

  #reseal(field: SealedField, at: number, { plain, passed }: { plain: string[]; passed: string[] }): void {
    const { from, to, lenient } = this.#resealing;
    const [content, record] = [passed[field.position] ?? NULL, passed[at] ?? NULL];
    if (content === NULL || record === NULL) return;
    const of = unescaped(record);
    try {
      const opened = field.change(unescaped(content), (value) => from.open(value, field.purpose, of));
      const again =
        to &&
        field.change(unescaped(content), (value) => to.seal(from.open(value, field.purpose, of), field.purpose, of));
      plain[field.position] = escaped(opened);
      if (again !== null) passed[field.position] = escaped(again);
    } catch (error) {
      if (!lenient) throw error;
      passed[at] = NULL;
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
  '\\': '\\',
};
const MEANINGS = new Map(Object.entries(ESCAPES).map(([character, letter]) => [letter, character]));

function escaped(text: string): string {
  return text.replaceAll(/[\b\f\n\r\t\v\\]/g, (character) => `\\${ESCAPES[character]}`);
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, letter: string) => MEANINGS.get(letter) ?? letter);
}

import { createDecipheriv, hkdfSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { StartError } from '#platform/start-error.ts';
import type { Source } from './source.ts';

/** Loaded at first use, because most processes neither write nor read backups. */
const age = () => import('age-encryption');

/**
 * Encrypts in the age format (C2SP age): chunks of 64 KiB, each authenticated with its number, the last one marked as
 * the last. What was cut off, exchanged or moved is found, and the program `age` decrypts it, too.
 * @param key a secret key of age, or a public one
 */
export async function encrypted(content: Readable, key: string): Promise<Readable> {
  const { Encrypter, identityToRecipient } = await age();
  const encrypter = new Encrypter();
  encrypter.addRecipient(isSecretKey(key) ? await identityToRecipient(key) : key);
  const plain: ReadableStream<Uint8Array> = Readable.toWeb(content);
  return Readable.fromWeb(await encrypter.encrypt(plain));
}

/** A new secret key with its public key. */
export async function newBackupKey(): Promise<{ secret: string; shared: string }> {
  const { generateX25519Identity, identityToRecipient } = await age();
  const secret = await generateX25519Identity();
  return { secret, shared: await identityToRecipient(secret) };
}

/** A secret key decrypts and encrypts, a public key (`age1…`) only encrypts. */
function isSecretKey(key: string): boolean {
  return key.startsWith('AGE-SECRET-KEY-');
}

const MAGIC = 'age-encryption.org/v1\n';
/** More than any header that this program writes. */
const MAX_HEADER_BYTES = 16_384;
const NONCE_BYTES = 16;
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;

/**
 * Decrypts a source that is encrypted; returns any other as it is. Chunks are decrypted as they are read, in any order,
 * because restoring starts with the end of a ZIP.
 * @throws StartError if none of the keys decrypts it, or if its end is missing
 */
export async function decrypted(source: Source, keys: readonly string[]): Promise<Source> {
  const head = await buffer(source.read(0, Math.min(source.size, MAX_HEADER_BYTES)));
  if (!head.toString('latin1').startsWith(MAGIC)) return source;
  const secrets = keys.filter(isSecretKey);
  if (secrets.length === 0)
    throw new StartError('The backup is encrypted. Configure the secret key it was made for: LATCHKEY_BACKUP_KEY.');
  // The header ends with the line of its authentication code.
  const end = head.indexOf('\n', head.indexOf('\n--- ') + 1) + 1;
  const fileKey = await fileKeyOf(head.subarray(0, end), secrets);
  const nonce = head.subarray(end, end + NONCE_BYTES);
  const chunks = new Chunks(source, {
    start: end + NONCE_BYTES,
    key: Buffer.from(hkdfSync('sha256', fileKey, nonce, 'payload', 32)),
  });
  await chunks.checkEnd();
  return { size: chunks.size, read: (from, to) => Readable.from(chunks.read(from, to)) };
}

async function fileKeyOf(header: Uint8Array, keys: readonly string[]): Promise<Uint8Array> {
  const { Decrypter } = await age();
  const decrypter = new Decrypter();
  for (const key of keys) decrypter.addIdentity(key);
  try {
    return await decrypter.decryptHeader(header);
  } catch (error) {
    throw new StartError(
      'The backup was encrypted for another key, or its beginning is damaged. Configure the key it was made for: LATCHKEY_BACKUP_KEY.',
      { cause: error },
    );
  }
}

/** The encrypted chunks of an age file. */
class Chunks {
  /** The decrypted size. */
  readonly size: number;
  readonly #source: Source;
  readonly #start: number;
  readonly #key: Buffer;
  readonly #last: number;

  constructor(source: Source, { start, key }: { start: number; key: Buffer }) {
    const bytes = Math.max(0, source.size - start);
    const count = Math.max(1, Math.ceil(bytes / (CHUNK_BYTES + TAG_BYTES)));
    this.size = Math.max(0, bytes - count * TAG_BYTES);
    this.#source = source;
    this.#start = start;
    this.#key = key;
    this.#last = count - 1;
  }

  /** @throws StartError if the last chunk is not the one that was written last */
  async checkEnd(): Promise<void> {
    if (this.size === 0) throw new StartError('The backup is damaged: its content is missing.');
    await buffer(this.read(this.size - 1, this.size));
  }

  async *read(from: number, to: number): AsyncGenerator<Buffer> {
    let number = Math.floor(from / CHUNK_BYTES);
    let left = Buffer.alloc(0);
    const end = this.#positionOf(Math.floor(Math.max(from, to - 1) / CHUNK_BYTES) + 1);
    for await (const bytes of this.#source.read(this.#positionOf(number), end)) {
      left = Buffer.concat([left, bytes]);
      while (left.length >= CHUNK_BYTES + TAG_BYTES) {
        yield this.#open(number, left.subarray(0, CHUNK_BYTES + TAG_BYTES), { from, to });
        left = left.subarray(CHUNK_BYTES + TAG_BYTES);
        number += 1;
      }
    }
    if (left.length > 0) yield this.#open(number, left, { from, to });
  }

  #positionOf(number: number): number {
    return Math.min(this.#source.size, this.#start + number * (CHUNK_BYTES + TAG_BYTES));
  }

  /** Decrypts a chunk, and returns those of its bytes that were asked for. */
  #open(number: number, chunk: Buffer, { from, to }: { from: number; to: number }): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64BE(BigInt(number), 3);
    if (number === this.#last) nonce[11] = 1;
    const decipher = createDecipheriv('chacha20-poly1305', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
    const plain = decipher.update(chunk.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      throw new StartError(
        number === this.#last
          ? 'The backup is damaged: its end is missing or altered.'
          : `The backup is damaged: chunk ${number} was altered or moved.`,
      );
    }
    const first = number * CHUNK_BYTES;
    return plain.subarray(Math.max(0, from - first), Math.max(0, to - first));
  }
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { Decrypter } from 'age-encryption';
import { decrypted, encrypted, newBackupKey } from './encryption.ts';
import type { Source } from './source.ts';

const CHUNK = 65_536;
const key = await newBackupKey();
const other = await newBackupKey();

function sourceOf(bytes: Buffer): Source {
  return { size: bytes.length, read: (start, end) => Readable.from([bytes.subarray(start, end)]) };
}

const seal = async (plain: Buffer, by = key.secret) => buffer(await encrypted(Readable.from([plain]), by));
const open = async (sealed: Buffer, keys = [key.secret]) => decrypted(sourceOf(sealed), keys);
/** Reads everything. */
const read = async (sealed: Buffer, keys?: string[]) => {
  const { size, read: range } = await open(sealed, keys);
  return buffer(range(0, size));
};

describe('the encryption of backups', () => {
  test('gives back every range of every size, whichever chunks it touches', async () => {
    for (const size of [1, 100, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 7]) {
      const plain = randomBytes(size);
      // biome-ignore lint/performance/noAwaitInLoops: one size after the other
      const source = await open(await seal(plain));
      assert.equal(source.size, size);
      const starts = [0, size - 1, Math.floor(size / 3), Math.min(CHUNK, size - 1)];
      const ends = [size, size, Math.ceil((size * 2) / 3), size];
      const found = await Promise.all(starts.map((start, index) => buffer(source.read(start, ends[index] ?? size))));
      assert.deepEqual(
        found,
        starts.map((start, index) => plain.subarray(start, ends[index])),
        `${size}`,
      );
    }
  });

  test('writes the age format, which the library for age decrypts', async () => {
    const plain = randomBytes(CHUNK + 5);
    const decrypter = new Decrypter();
    decrypter.addIdentity(key.secret);
    assert.deepEqual(Buffer.from(await decrypter.decrypt(await seal(plain))), plain);
  });

  test('encrypts with a public key, and finds its secret key among several', async () => {
    const plain = randomBytes(10);
    const sealed = await seal(plain, key.shared);
    assert.deepEqual(await read(sealed, [other.secret, key.secret]), plain);
    await assert.rejects(read(sealed, [key.shared]), /Configure the secret key/);
    await assert.rejects(read(sealed, []), /Configure the secret key/);
  });

  test('refuses to decrypt with another key', async () => {
    await assert.rejects(read(await seal(randomBytes(10)), [other.secret]), /encrypted for another key/);
  });

  test('finds a changed byte wherever it is', async () => {
    const sealed = await seal(randomBytes(2 * CHUNK + 100));
    for (const at of [30, 190, sealed.length / 2, sealed.length - 1].map(Math.floor)) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      // biome-ignore lint/performance/noAwaitInLoops: one position after the other
      await assert.rejects(read(changed), /damaged|another key/, `byte ${at}`);
    }
  });

  test('finds a missing end, also when whole chunks are missing, and what was added', async () => {
    const sealed = await seal(randomBytes(3 * CHUNK));
    const header = sealed.length - 3 * (CHUNK + 16);
    const sizes = [sealed.length - 1, header + 2 * (CHUNK + 16), header + CHUNK + 16, header, header - 20, 40];
    await Promise.all(
      sizes.map((size) => assert.rejects(read(sealed.subarray(0, size)), /damaged|another key/, `${size}`)),
    );
    await assert.rejects(read(Buffer.concat([sealed, randomBytes(10)])), /damaged/);
  });

  test('finds chunks that were exchanged, left out, or taken from another backup', async () => {
    const sealed = await seal(randomBytes(4 * CHUNK));
    const foreign = await seal(randomBytes(4 * CHUNK));
    const header = sealed.length - 4 * (CHUNK + 16);
    const chunk = (from: Buffer, index: number) =>
      from.subarray(header + index * (CHUNK + 16), header + (index + 1) * (CHUNK + 16));
    const whole = (...chunks: Buffer[]) => Buffer.concat([sealed.subarray(0, header), ...chunks]);
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => chunk(sealed, index));
    assert.ok(a && b && c && d);
    assert.deepEqual(whole(a, b, c, d), sealed);
    await assert.rejects(read(whole(b, a, c, d)), /chunk 0 was altered or moved/);
    await assert.rejects(read(whole(a, c, d)), /damaged/);
    await assert.rejects(read(whole(a, chunk(foreign, 1), c, d)), /chunk 1 was altered or moved/);
  });

  test('leaves alone what is not encrypted', async () => {
    const plain = Buffer.from('PK plain');
    assert.deepEqual(await read(plain, []), plain);
    assert.deepEqual(await read(Buffer.alloc(0), []), Buffer.alloc(0));
  });
});

import { randomBytes } from 'node:crypto';

/** The generator is asked for this much at once, because each call costs more than the bytes. */
const POOL_BYTES = 4_096;

let pool = randomBytes(POOL_BYTES);
let used = 0;

/**
 * Random bytes for the ids, tokens and initialisation vectors that requests make. They come from the system's generator, and
 * each is returned once.
 * @param size in bytes, at most 64
 */
export function nextRandom(size: number): Buffer {
  if (used + size > POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}

import { randomBytes } from 'node:crypto';

/** One system call for many random values is cheaper than one for each. */
const POOL_BYTES = 4_096;

let pool = randomBytes(POOL_BYTES);
let used = 0;

/**
 * Bytes of the system's generator for what a request makes: ids, tokens and initialisation vectors.
 * @param size at most 64; no two results share a byte
 */
export function nextRandom(size: number): Buffer {
  if (used + size > POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}

import { webCrypto } from '../encoding.ts';

/** Between pauses, so that the page stays usable. */
const ROUND = 1_000;

/** Solves a challenge in the format of ALTCHA: the number whose digest with the salt is the challenge. */
export async function solve({
  algorithm,
  challenge,
  salt,
  maxnumber,
  signature,
}: Record<string, unknown>): Promise<string> {
  for (let first = 0; first <= Number(maxnumber); first += ROUND) {
    // biome-ignore lint/performance/noAwaitInLoops: work that takes its time is the point
    const digests = await Promise.all(
      Array.from({ length: ROUND }, (_, index) => hexDigest(String(algorithm), `${salt}${first + index}`)),
    );
    const found = digests.indexOf(String(challenge));
    if (found >= 0) return btoa(JSON.stringify({ algorithm, challenge, salt, signature, number: first + found }));
  }
  throw new Error('The challenge has no solution.');
}

async function hexDigest(algorithm: string, text: string): Promise<string> {
  const digest = await webCrypto().digest(algorithm, new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

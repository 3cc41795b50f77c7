import { randomInt } from 'node:crypto';
import type { SystemInTx } from './system.ts';

/** Digits of a code that is sent to a person; with five attempts, a guess succeeds once in twenty million. */
const CODE_DIGITS = 8;

/** What a code is for; a code of another purpose is not accepted. */
type CodePurpose = 'one-time-code' | 'mfa-code' | 'status-code';

/** A code, and the record that it belongs to. */
type OneTimeCode = { purpose: CodePurpose; record: string; code: string };

/** Uniformly distributed (ASVS 6.5.3). */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

/**
 * The digest of a code, which is stored. Codes are short, so only a keyed digest protects them in a stolen table
 * (NIST SP 800-63B-4 §3.1.2).
 */
export function codeDigest({ keyring }: SystemInTx, { purpose, record, code }: OneTimeCode): Buffer {
  return keyring.tag(`${record} ${code}`, purpose);
}

/** True for the code with this digest. Compares in constant time. */
export function isCode({ keyring }: SystemInTx, { purpose, record, code }: OneTimeCode, digest: Buffer): boolean {
  return keyring.checkTag(`${record} ${code}`, purpose, digest);
}

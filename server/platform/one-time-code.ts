import { randomInt } from 'node:crypto';
import type { SystemInTx } from './system.ts';

/** How many digits a code that is sent to somebody has; with five tries, a guess succeeds once in twenty million. */
const CODE_DIGITS = 8;

/** What a code opens; one of another kind does not. */
type CodePurpose = 'one-time-code' | 'mfa-code' | 'status-code';

/** A code, and the record that it opens. */
type OneTimeCode = { purpose: CodePurpose; record: string; code: string };

/** Every code has the same chance (ASVS 6.5.3). */
export function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

/**
 * What is stored of a code. Codes are short, so only a keyed digest keeps them from being guessed out of a stolen table
 * (NIST SP 800-63B-4 §3.1.2).
 */
export function codeDigest({ keyring }: SystemInTx, { purpose, record, code }: OneTimeCode): Buffer {
  return keyring.tag(`${record} ${code}`, purpose);
}

/** Is it the code whose digest is stored? Compared in constant time. */
export function isCode({ keyring }: SystemInTx, { purpose, record, code }: OneTimeCode, digest: Buffer): boolean {
  return keyring.checkTag(`${record} ${code}`, purpose, digest);
}

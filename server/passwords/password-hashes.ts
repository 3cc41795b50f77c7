import {
  createCipheriv,
  hash,
  pbkdf2 as pbkdf2Callback,
  type ScryptOptions,
  scrypt as scryptCallback,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import { costOf, isWithin, MAX_HASH_COST } from './hash-costs.ts';

const pbkdf2 = promisify(pbkdf2Callback);
const scrypt = promisify<string | Buffer, Buffer, number, ScryptOptions, Buffer>(scryptCallback);

/** A format of stored passwords: the pattern of its hashes, and how to check a password against one. */
type Format = { pattern: RegExp; matches: (parts: readonly string[], password: string) => Promise<boolean> };

/** Earlier versions imported hashes up to this cost, so they must still work. */
const MAX_SCRYPT_LOG_N = 20;
const MAX_ROUNDS = 10_000_000;

/**
 * Hash formats of other systems. A check hashes the bytes that the other system hashed; the first sign-in replaces the
 * hash with ours. All but Argon2 and bcrypt are `$scheme$parameters$salt$hash`, salt and hash in base64.
 */
const FORMATS: readonly Format[] = [
  {
    // bcrypt reads only 72 bytes; the limit is gone after the first sign-in replaces the hash.
    pattern: /^(\$2[abxy]\$\d{2}\$[./A-Za-z0-9]{53})$/,
    matches: async ([stored = ''], password) =>
      (await import('@node-rs/bcrypt')).verify(password, stored.replace(/^\$2[xy]/, '$2b')),
  },
  {
    pattern: /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/,
    matches: async ([ln, r, p, salt = '', expected = ''], password) => {
      const tag = bytes(expected);
      const options = scryptOptions(Number(ln), Number(r), Number(p));
      return options !== null && equal(await scrypt(password, bytes(salt), tag.length, options), tag);
    },
  },
  {
    // Firebase: the hash is the project's signer key, encrypted with AES-256-CTR under the scrypt key.
    pattern: /^\$firebase-scrypt\$ln=(\d+),r=(\d+),ss=([^,$]*),sk=([^,$]+)\$([^$]+)\$([^$]+)$/,
    matches: async ([ln, r, separator = '', signer = '', salt = '', expected = ''], password) => {
      const options = scryptOptions(Number(ln), Number(r), 1);
      if (options === null) return false;
      const key = await scrypt(password, Buffer.concat([bytes(salt), bytes(separator)]), 32, options);
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
      return equal(Buffer.concat([cipher.update(bytes(signer)), cipher.final()]), bytes(expected));
    },
  },
  {
    pattern: /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?(\d+)\$([^$]+)\$([^$]+)$/,
    matches: ([digest = '', rounds, salt = '', expected = ''], password) =>
      matchesPbkdf2({ digest, rounds: Number(rounds), salt: bytes(salt), expected: bytes(expected) }, password),
  },
  {
    // Django: the salt is text.
    pattern: /^pbkdf2_(sha1|sha256)\$(\d+)\$([^$]+)\$([^$]+)$/,
    matches: ([digest = '', rounds, salt = '', expected = ''], password) =>
      matchesPbkdf2({ digest, rounds: Number(rounds), salt: Buffer.from(salt), expected: bytes(expected) }, password),
  },
  {
    // LDAP (RFC 2307 and its successors): the salt follows the digest.
    pattern: /^\{SSHA(|256|512)\}([A-Za-z0-9+/=]+)$/,
    matches: async ([size = '', stored = ''], password) => {
      const digest = size === '' ? 'sha1' : `sha${size}`;
      const length = { sha1: 20, sha256: 32, sha512: 64 }[digest] ?? 0;
      const all = bytes(stored);
      const made = hash(digest, Buffer.concat([Buffer.from(password), all.subarray(length)]), 'buffer');
      return equal(made, all.subarray(0, length));
    },
  },
  {
    pattern: /^\$(sha1|sha256|sha512)\$(salt-first|salt-last)\$([^$]*)\$([^$]+)$/,
    matches: async ([digest = '', order, salt = '', expected = ''], password) => {
      const parts = [bytes(salt), Buffer.from(password)];
      const made = hash(digest, Buffer.concat(order === 'salt-first' ? parts : parts.toReversed()), 'buffer');
      return equal(made, bytes(expected));
    },
  },
];

function isArgon2(stored: string): boolean {
  return /^\$argon2(id|i|d)\$/.test(stored);
}

/** Whether this is a hash of a supported format whose cost is within the limit. */
export function isPasswordHash(stored: string): boolean {
  const cost = costOf(stored);
  if (cost === null || !isWithin(cost, MAX_HASH_COST)) return false;
  return isArgon2(stored) || FORMATS.some(({ pattern }) => pattern.test(stored));
}

/**
 * Checks a password against a hash of any supported format, in constant time.
 * @param typed the password as typed, which other systems hash
 * @param normalised the bytes that our own hashes use
 */
export async function matchesHash(stored: string, typed: string, normalised: string): Promise<boolean> {
  try {
    return await matches(stored, typed, normalised);
  } catch {
    // A malformed hash matches nothing.
    return false;
  }
}

async function matches(stored: string, typed: string, normalised: string): Promise<boolean> {
  if (isArgon2(stored))
    return (await verifyArgon2(stored, normalised)) || (typed !== normalised && verifyArgon2(stored, typed));
  for (const format of FORMATS) {
    const parts = format.pattern.exec(stored)?.slice(1);
    if (parts) return format.matches(parts, typed);
  }
  return false;
}

type Pbkdf2 = { digest: string; rounds: number; salt: Buffer; expected: Buffer };

async function matchesPbkdf2({ digest, rounds, salt, expected }: Pbkdf2, password: string): Promise<boolean> {
  if (rounds < 1 || rounds > MAX_ROUNDS) return false;
  return equal(await pbkdf2(password, salt, rounds, expected.length, digest), expected);
}

function scryptOptions(logN: number, r: number, p: number): ScryptOptions | null {
  if (logN < 1 || logN > MAX_SCRYPT_LOG_N || r < 1 || r > 64 || p < 1 || p > 16) return null;
  return { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r + 1_048_576 };
}

/** Decodes any of the base64 variants that hashes use. */
function bytes(encoded: string): Buffer {
  return Buffer.from(encoded.replaceAll('.', '+'), 'base64');
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b);
}

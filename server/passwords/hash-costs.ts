/** The estimated cost of checking a password against a hash, on a machine of 2020. */
export type HashCost = { mebibytes: number; milliseconds: number };

/**
 * More expensive hashes are not imported: one workspace's sign-ins would exhaust memory and time for all (OWASP ASVS
 * 5.0 15.1.3).
 */
export const MAX_HASH_COST: HashCost = { mebibytes: 128, milliseconds: 1_100 };

/**
 * More expensive hashes are checked in a queue of their own. Argon2id with 64 MiB and four passes is below the limit.
 */
const COMMON_COST: HashCost = { mebibytes: 128, milliseconds: 300 };

type Estimate = { pattern: RegExp; cost: (parts: readonly string[]) => HashCost | null };

const NOTHING: HashCost = { mebibytes: 0, milliseconds: 0 };
const DIGEST_BYTES: Record<string, number> = { sha1: 20, sha256: 32, sha512: 64 };

/** The cost of each kind of hash; null for invalid parameters. */
const ESTIMATES: readonly Estimate[] = [
  {
    // RFC 9106 §3.1: at least one pass and one lane, and eight blocks a lane. A pass over a MiB takes about a millisecond.
    pattern: /^\$argon2(?:id|i|d)\$(?:v=\d+\$)?m=(\d+),t=(\d+),p=(\d+)\$[^$]+\$[^$]+$/,
    cost: ([memory, passes, lanes]) => {
      const [m, t, p] = [Number(memory), Number(passes), Number(lanes)];
      if (t < 1 || p < 1 || m < 8 * p) return null;
      return { mebibytes: m / 1024, milliseconds: (m / 1024) * t };
    },
  },
  {
    pattern: /^\$2[abxy]\$(\d{2})\$[./A-Za-z0-9]{53}$/,
    cost: ([logRounds]) => {
      const rounds = Number(logRounds);
      return rounds < 4 || rounds > 31 ? null : { mebibytes: 0, milliseconds: 2 ** (rounds - 4) };
    },
  },
  {
    pattern: /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$[^$]+\$[^$]+$/,
    cost: ([logN, r, p]) => scryptCost(Number(logN), Number(r), Number(p)),
  },
  {
    pattern: /^\$firebase-scrypt\$ln=(\d+),r=(\d+),/,
    cost: ([logN, r]) => scryptCost(Number(logN), Number(r), 1),
  },
  {
    pattern: /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?(\d+)\$[^$]+\$([^$]+)$/,
    cost: ([digest = '', rounds, expected = '']) => pbkdf2Cost(digest, Number(rounds), expected),
  },
  {
    pattern: /^pbkdf2_(sha1|sha256)\$(\d+)\$[^$]+\$([^$]+)$/,
    cost: ([digest = '', rounds, expected = '']) => pbkdf2Cost(digest, Number(rounds), expected),
  },
  { pattern: /^\{SSHA(?:|256|512)\}/, cost: () => NOTHING },
  { pattern: /^\$(?:sha1|sha256|sha512)\$(?:salt-first|salt-last)\$/, cost: () => NOTHING },
];

/** RFC 7914 §2: 128 · N · r bytes, each written and read once for every p. */
function scryptCost(logN: number, r: number, p: number): HashCost | null {
  if (logN < 1 || r < 1 || p < 1) return null;
  const mebibytes = (128 * 2 ** logN * r) / 1_048_576;
  return { mebibytes, milliseconds: 3 * mebibytes * p };
}

/** RFC 8018 §5.2: every block of the result takes all rounds again. */
function pbkdf2Cost(digest: string, rounds: number, expected: string): HashCost | null {
  if (rounds < 1) return null;
  const blocks = Math.ceil((expected.length * 3) / 4 / (DIGEST_BYTES[digest] ?? 1));
  return { mebibytes: 0, milliseconds: (rounds * Math.max(1, blocks)) / 4_000 };
}

/** @returns null for an unknown kind of hash, or invalid parameters */
export function costOf(stored: string): HashCost | null {
  for (const { pattern, cost } of ESTIMATES) {
    const parts = pattern.exec(stored)?.slice(1);
    if (parts) return cost(parts);
  }
  return null;
}

export function isWithin(cost: HashCost, most: HashCost): boolean {
  return cost.mebibytes <= most.mebibytes && cost.milliseconds <= most.milliseconds;
}

/** True for a hash whose check would delay other sign-ins. */
export function isDear(stored: string): boolean {
  const cost = costOf(stored);
  return cost !== null && !isWithin(cost, COMMON_COST);
}

import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import { Gauge } from 'prom-client';
import { problemWithRetry } from '#platform/problem.ts';
import { perSystem, type System } from '#platform/system.ts';
import { matchesHash } from './password-hashes.ts';

/** Argon2id, the library's default variant, with OWASP's parameters: 19 MiB, two passes, one lane; 128-bit salt, 256-bit tag (ASVS 11.4.2). */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

/** libuv has four threads unless told otherwise; one stays free for signatures, files and name look-ups. */
const MOST_AT_ONCE = 3;
/** Waiting longer than a client does is work for nobody. */
const MOST_WAITING = 500;

/**
 * Hashes passwords a few at a time, so that a flood of sign-ins neither starves the rest of the process nor takes all memory
 * (19 MiB each). Those that come when the queue is full get 503.
 */
class HashQueue {
  readonly #limit = Math.min(MOST_AT_ONCE, Math.max(1, availableParallelism() - 1));
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(system: System) {
    const waiting = this.#waiting;
    new Gauge({
      name: 'latchkey_password_hashes_waiting',
      help: 'Password hashes that wait for their turn.',
      registers: [system.metrics],
      collect() {
        this.set(waiting.length);
      },
    });
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await this.#turn();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The turn passes on directly, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) throw problemWithRetry('SERVICE_UNAVAILABLE', 5);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

const hashQueue = perSystem((system) => new HashQueue(system));

/** Somebody's password that nobody knows: verified against when there is no account, so that both take as long (AU-6). */
let decoy: Promise<string> | null = null;

/**
 * The bytes that are hashed. Normalised, because the same characters can be typed as different code points
 * (NIST SP 800-63B-4 §3.1.1.2); never cut.
 */
function prepared(password: string): string {
  return password.normalize('NFKC');
}

/** @returns the Argon2id hash in PHC format @throws Problem SERVICE_UNAVAILABLE when too many wait */
export function hashPassword(system: System, password: string): Promise<string> {
  return hashQueue(system).run(() => hash(prepared(password), ARGON2ID));
}

/**
 * Checks a password against a hash in constant time.
 * @param stored the account's hash, or null where there is no account: then the same work is done and the answer is false
 */
export async function verifyPassword(system: System, stored: string | null, password: string): Promise<boolean> {
  decoy ??= hash('', ARGON2ID);
  const against = stored ?? (await decoy);
  const matches = await hashQueue(system).run(() => matchesHash(against, password, prepared(password)));
  return stored !== null && matches;
}

/** True for a hash that is not what {@link hashPassword} makes today. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = ARGON2ID;
  return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
}

import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import type { Ctx } from '#platform/ctx.ts';
import { FairQueue } from '#platform/fair-queue.ts';
import { isConnectionHeld } from '#platform/held-connections.ts';
import { perSystem, type System } from '#platform/system.ts';
import { step } from '#platform/trace.ts';
import { isDear } from './hash-costs.ts';
import { matchesHash } from './password-hashes.ts';

/**
 * Argon2id, the library's default variant, with OWASP's parameters: 19 MiB, two passes, one lane; 128-bit salt, 256-bit
 * tag (ASVS 11.4.2).
 */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

/** libuv has four threads by default; one stays free for signatures, files and name look-ups. */
const MAX_AT_ONCE = 3;
/** Clients time out before longer queues are done. */
const MAX_WAITING = 500;
/** The limit of waiting checks of expensive hashes. */
const MAX_DEAR_WAITING = 50;

/**
 * Only a few passwords are hashed at a time, so that a flood of sign-ins neither starves the process nor uses up its
 * memory (19 MiB each); workspaces take turns. Imported hashes that cost much more than ours are checked one at a time
 * in a separate queue, so that one workspace's hashes do not delay the sign-ins of others.
 */
export const queues = perSystem(() => {
  const common = new FairQueue({
    atOnce: Math.min(MAX_AT_ONCE, Math.max(1, availableParallelism() - 1)),
    waiting: MAX_WAITING,
  });
  const dear = new FairQueue({ atOnce: 1, waiting: MAX_DEAR_WAITING });
  return { common, dear };
});

/** The caller of a hash: never a transaction, which would hold its connection while it waits. */
type Asker = Pick<Ctx, 'system' | 'afterCommit'> & { scope?: Ctx['scope'] };

function hashed<T>({ system, scope }: Asker, queue: 'common' | 'dear', work: () => Promise<T>): Promise<T> {
  if (isConnectionHeld()) throw new Error('A password is hashed before a transaction begins, never inside one.');
  const span = () => ({ name: 'hash password', kind: 'internal', attributes: { 'latchkey.queue': queue } }) as const;
  return step(system.tracer, span, () => queues(system)[queue].run(scope?.workspaceId ?? '', work));
}

/** The hash checked when there is no account, so that both cases take equally long (AU-6). */
const decoys = perSystem((system) => hash('', parameters(system)));

function parameters({ testPasswordCost }: System) {
  return { ...ARGON2ID, ...testPasswordCost };
}

/**
 * The bytes that are hashed. Normalised, because the same characters can be typed as different code points
 * (NIST SP 800-63B-4 §3.1.1.2); never truncated.
 */
function prepared(password: string): string {
  return password.normalize('NFKC');
}

/**
 * @returns the Argon2id hash in PHC format
 * @throws Problem SERVICE_UNAVAILABLE when the queue is full
 */
export async function hashPassword(asker: Asker, password: string): Promise<string> {
  return hashed(asker, 'common', () => hash(prepared(password), parameters(asker.system)));
}

/**
 * Checks a password against a hash in constant time.
 * @param stored the account's hash, or null if there is no account: then the same work is done and the result is false
 */
export async function verifyPassword(asker: Asker, stored: string | null, password: string): Promise<boolean> {
  const against = stored ?? (await decoys(asker.system));
  const queue = isDear(against) ? 'dear' : 'common';
  const matches = await hashed(asker, queue, () => matchesHash(against, password, prepared(password)));
  return stored !== null && matches;
}

/** True for a hash that {@link hashPassword} would create differently today. */
export function isOutdated(system: System, stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parameters(system);
  return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
}

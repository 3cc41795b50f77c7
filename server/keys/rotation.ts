import { sql } from 'kysely';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import {
  type Ctx,
  type Environment,
  environments,
  installationScope,
  systemCtx,
  type TxCtx,
  transaction,
} from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import {
  type Algorithm,
  algorithms,
  createSigningKey,
  retireKeysBefore,
  retireKeysNow,
  signingKeys,
} from './signing-keys.ts';

const DAY_MS = 86_400_000;
/** How long a key signs. */
const SIGNING_DAYS = 90;
/** How long a new key is published before it signs: clients cache the key set for minutes, some for a day. */
const AHEAD_MS = 2 * DAY_MS;
/** How long a key stays published after its last signature. Longer than its last token lives (an hour at most). */
const RETENTION_MS = DAY_MS;

/** A signing key as operators see it. */
type KeySummary = {
  environment: Environment;
  id: string;
  algorithm: Algorithm;
  signsFrom: Date;
  retiresAt: Date | null;
};

/** The context for work on an environment's keys, which belong to no workspace. */
function keyCtx(system: System, environment: Environment): Ctx {
  return systemCtx(system, installationScope(environment), 'keys', 'keys');
}

/** Publishes the next key of every algorithm whose newest key is old enough. Safe to run in any number of processes. */
export async function rotateDueKeys(system: System): Promise<void> {
  const due = new Date(system.clock.now().getTime() - SIGNING_DAYS * DAY_MS + AHEAD_MS);
  for (const environment of environments) {
    // biome-ignore lint/performance/noAwaitInLoops: two environments
    await rotate(system, environment, { olderThan: due });
  }
}

/**
 * Publishes a new key of each algorithm. It signs from two days on; the previous key stays published until its tokens
 * expire.
 * @returns the ids of the new keys
 */
export function rotateKeys(system: System, environment: Environment): Promise<string[]> {
  return rotate(system, environment, { olderThan: null });
}

async function rotate(
  system: System,
  environment: Environment,
  { olderThan }: { olderThan: Date | null },
): Promise<string[]> {
  return transaction(keyCtx(system, environment), async (tx) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.keyRotation})`.execute(tx.db);
    const ids: string[] = [];
    for (const algorithm of algorithms) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      const newest = await newestKey(tx, algorithm);
      if (olderThan !== null && newest !== undefined && newest.signsFrom > olderThan) continue;
      const signsFrom = new Date(tx.now.getTime() + AHEAD_MS);
      await retireKeysBefore(tx, algorithm, new Date(signsFrom.getTime() + RETENTION_MS));
      ids.push(await createSigningKey(tx, algorithm, signsFrom));
    }
    return ids;
  });
}

/**
 * Replaces the keys of an environment in an emergency. New keys sign at once. The previous keys stay published until
 * their last token has expired, except those in `retire`: they end now, and every token they signed is refused.
 * @returns the ids of the new keys
 */
export function rotateKeysNow(system: System, environment: Environment, retire: readonly string[]): Promise<string[]> {
  return transaction(keyCtx(system, environment), async (tx) => {
    await sql`select pg_advisory_xact_lock(${advisoryLocks.keyRotation})`.execute(tx.db);
    await retireKeysNow(tx, retire);
    const ids: string[] = [];
    for (const algorithm of algorithms) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection
      await retireKeysBefore(tx, algorithm, new Date(tx.now.getTime() + RETENTION_MS));
      ids.push(await createSigningKey(tx, algorithm, tx.now));
    }
    return ids;
  });
}

async function newestKey(tx: TxCtx, algorithm: Algorithm): Promise<{ signsFrom: Date } | undefined> {
  return tx.db
    .selectFrom('signing_keys')
    .select('signs_from as signsFrom')
    .where('environment', '=', tx.scope.environment)
    .where('algorithm', '=', algorithm)
    .orderBy('signs_from', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Creates the first key of each algorithm, which signs at once, and reads the keys. Safe to run in any number of
 * processes.
 */
export async function ensureSigningKeys(system: System): Promise<void> {
  await Promise.all(
    environments.map(async (environment) => {
      await transaction(keyCtx(system, environment), createMissingKeys);
      await signingKeys(system, environment).reload();
    }),
  );
}

async function createMissingKeys(tx: TxCtx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.keyRotation})`.execute(tx.db);
  for (const algorithm of algorithms) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    if (!(await newestKey(tx, algorithm))) await createSigningKey(tx, algorithm, tx.now);
  }
}

/** All keys that are or will be published, newest first. */
export async function listKeys(system: System): Promise<KeySummary[]> {
  const rows = await system.db
    .selectFrom('signing_keys')
    .select(['environment', 'id', 'algorithm', 'signs_from as signsFrom', 'retires_at as retiresAt'])
    .where((eb) => eb.or([eb('retires_at', 'is', null), eb('retires_at', '>', system.clock.now())]))
    .orderBy('environment')
    .orderBy('signs_from', 'desc')
    .execute();
  return rows;
}

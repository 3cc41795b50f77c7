import { sql } from 'kysely';
import type pg from 'pg';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { type Ctx, installationScope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { type KeyState, newDataKey, UnknownKeyError } from '#platform/keyring.ts';
import { perSystem, type System } from '#platform/system.ts';

type DataKeysTable = {
  number: number;
  id: string;
  wrapped: string;
  state: KeyState;
  from_secret: boolean;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    data_keys: DataKeysTable;
  }
}

/** The context for work on data keys, which belong to no workspace and no environment. */
export function dataKeyCtx(system: System): Ctx {
  return systemCtx(system, installationScope('production'), 'keys', 'keys');
}

/** All data keys, the newest first. */
export function storedKeys(db: Pick<ReadDb, 'selectFrom'>): Promise<DataKeysTable[]> {
  return db.selectFrom('data_keys').selectAll().orderBy('number', 'desc').execute();
}

/** The ids of the secrets that open the data keys of a database, in the caller's snapshot; empty before there are any. */
export async function secretsOfDatabase(client: pg.ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query<{ made: boolean }>("select to_regclass('data_keys') is not null as made");
  if (!tables[0]?.made) return [];
  const { rows } = await client.query<{ id: string }>(
    "select distinct split_part(wrapped, '.', 2) as id from data_keys",
  );
  return rows.map(({ id }) => id);
}

/**
 * Reads the data keys into the key ring. The first process of an installation creates them.
 * @throws UnknownKeyError if LATCHKEY_SECRET is not the secret of the database
 */
export async function openDataKeys(system: System): Promise<void> {
  if ((await storedKeys(system.db)).length === 0) await transaction(dataKeyCtx(system), createFirstKeys);
  system.keyring.load(await storedKeys(system.db));
  await describeKeys(system);
}

async function createFirstKeys(tx: TxCtx): Promise<void> {
  await lockKeys(tx);
  if ((await storedKeys(tx.db)).length > 0) return;
  const sealers = await sealersOfSigningKeys(tx);
  if (sealers.length > 0) await adoptSecrets(tx, sealers);
  else {
    const key = newDataKey();
    // Processes that were given a new secret already share the oldest with those that were not.
    await insertKey(tx, { number: 1, id: key.id, wrapped: tx.system.keyring.wrap(key, 'oldest'), state: 'active' });
  }
}

/**
 * Makes data keys of the secrets, with which values were encrypted before there were data keys. So processes of the
 * version before read what this version seals, until `latchkey keys reseal` replaces these keys.
 */
async function adoptSecrets(tx: TxCtx, sealers: readonly string[]): Promise<void> {
  const { keyring } = tx.system;
  const missing = sealers.filter((id) => !keyring.secretIds.includes(id));
  if (missing.length > 0)
    throw new UnknownKeyError(
      `LATCHKEY_SECRET is not the secret of this database: its signing keys were sealed with the secret ${missing.join(', ')}, and LATCHKEY_SECRET holds ${keyring.secretIds.join(', ')}. Configure the secret that the database was used with.`,
    );
  for (const [index, secret] of keyring.secretsAsKeys.toReversed().entries()) {
    const isNewest = index === keyring.secretsAsKeys.length - 1;
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    await insertKey(tx, {
      number: index + 1,
      id: secret.id,
      wrapped: keyring.wrap(secret, 'oldest'),
      state: isNewest ? 'active' : 'former',
      from_secret: true,
    });
  }
}

/** The ids of the secrets, or keys, that the published signing keys are sealed with. */
async function sealersOfSigningKeys({ db, now }: TxCtx): Promise<string[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .select(sql<string>`split_part(private_sealed, '.', 2)`.as('sealer'))
    .distinct()
    .where((eb) => eb.or([eb('retires_at', 'is', null), eb('retires_at', '>', now)]))
    .execute();
  return rows.map(({ sealer }) => sealer);
}

type NewKey = Pick<DataKeysTable, 'number' | 'id' | 'wrapped' | 'state'> & { from_secret?: true };

/** Stores a data key. Every process reads it when the transaction commits. */
export async function insertKey(tx: TxCtx, key: NewKey): Promise<void> {
  await tx.db
    .insertInto('data_keys')
    .values({ from_secret: false, ...key, created_at: tx.now })
    .execute();
  await announceKeys(tx);
}

/** One transaction at a time changes data keys. */
export async function lockKeys({ db }: TxCtx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.keyRotation})`.execute(db);
}

/** Has every process read the data keys again when the transaction commits. */
export function announceKeys(tx: TxCtx): Promise<void> {
  return announce(tx, { topic: 'data-keys', key: '*' });
}

/** Reads the data keys again when they change, and when the database is back. */
export const followDataKeys = perSystem((system) => {
  // One read after the other, so that none replaces the keys by older ones. A failure does not end the next.
  let reading = Promise.resolve();
  const read = () => {
    reading = reading.catch(() => undefined).then(() => readAgain(system));
    return reading;
  };
  system.feed
    .subscribe({ replay: read, onChange: ({ topic }) => (topic === 'data-keys' ? read() : undefined) })
    .catch((error: unknown) => system.log.error({ err: error }, 'data keys not read'));
});

async function readAgain(system: System): Promise<void> {
  try {
    system.keyring.load(await storedKeys(system.lookups));
  } catch (error) {
    if (!(error instanceof UnknownKeyError)) throw error;
    // The process keeps the keys it has: it was started with a secret that is no longer that of the database.
    system.log.error({ err: error }, error.message);
  }
  system.feed.apply({ topic: 'data-keys-read', key: '*' });
  await describeKeys(system);
}

/** How many of its secrets a process names. */
const MAX_NAMED = 3;

/** Names the secrets and keys of this process on its connection, where `servingProcesses` of reseal.ts reads them. */
function describeKeys({ feed, keyring }: System): Promise<void> {
  const secrets = keyring.secretIds.slice(0, MAX_NAMED).join(',');
  return feed.describe(`${secrets} ${keyring.keyIds.join(',')}`);
}

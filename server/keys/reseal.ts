import { sql } from 'kysely';
import { POOL_NAME } from '#platform/connections.ts';
import { type TxCtx, transaction } from '#platform/ctx.ts';
import { FEED_NAME } from '#platform/feed.ts';
import { newDataKey } from '#platform/keyring.ts';
import { sealedColumns } from '#platform/sealed.ts';
import { StartError } from '#platform/start-error.ts';
import type { System } from '#platform/system.ts';
import { untilOpenTransactionsEnd, within } from '#platform/waiting.ts';
import { announceKeys, dataKeyCtx, insertKey, lockKeys, storedKeys } from './data-keys.ts';
import { rowsByKey, sealColumnAgain } from './sealed-values.ts';

/** What a reseal did. */
type Resealed = {
  /** The secret that all data keys are encrypted with. */
  secretId: string;
  /** How many data keys were encrypted with another secret before. */
  wrapped: number;
  /** The id of the new data key; null if the present one stays. */
  newKeyId: string | null;
  /** How many rows were sealed again. */
  rows: number;
  /** Values that no key opens. They were altered, or their key was lost before. */
  unreadable: string[];
};

type ResealOptions = {
  /** Replace the data key, because it may be known. A data key that is a secret is always replaced. */
  newKey: boolean;
  /** @returns receives the number of rows that are done */
  showProgress: (total: number) => { advance: (rows: number) => void; end: () => void };
};

/**
 * Encrypts the data keys with the newest secret, so that the older ones can be removed. Where values were sealed with a
 * secret itself, and on demand, replaces the data key and seals every value with the new one. A run that was
 * interrupted goes on when it is started again.
 * @throws StartError if a process lacks the newest secret, or does not take over the new key
 */
export async function reseal(system: System, { newKey, showProgress }: ResealOptions): Promise<Resealed> {
  const [secretId = ''] = system.keyring.secretIds;
  await requireEverywhere(system, ({ secrets }) => secrets.includes(secretId));
  const wrapped = await change(system, wrapAll);
  const newKeyId = await change(system, (tx) => addKey(tx, newKey));
  if (newKeyId !== null) {
    await untilEverywhere(system, ({ keys }) => keys.includes(newKeyId));
    await change(system, activateNext);
    await untilEverywhere(system, ({ keys }) => keys[0] === newKeyId);
    // Requests and jobs may still store what they sealed with the key that was active.
    await untilOpenTransactionsEnd(system, MAX_WAIT_MS);
  }
  const { rows, unreadable } = await sealAllAgain(system, showProgress);
  await change(system, retireFormer);
  return { secretId, wrapped, newKeyId, rows, unreadable };
}

/** Changes the data keys, and reads them again. */
async function change<T>(system: System, work: (tx: TxCtx) => Promise<T>): Promise<T> {
  const result = await transaction(dataKeyCtx(system), async (tx) => {
    await lockKeys(tx);
    const done = await work(tx);
    await announceKeys(tx);
    return done;
  });
  system.keyring.load(await storedKeys(system.db));
  return result;
}

async function wrapAll(tx: TxCtx): Promise<number> {
  const { keyring } = tx.system;
  const stale = (await storedKeys(tx.db)).filter(({ wrapped }) => !keyring.isWrappedByNewest(wrapped));
  for (const key of stale) {
    const wrapped = keyring.wrapAgain(key);
    // biome-ignore lint/performance/noAwaitInLoops: one connection
    await tx.db.updateTable('data_keys').set({ wrapped }).where('id', '=', key.id).execute();
  }
  return stale.length;
}

/**
 * Adds the key that will replace the active one, if it has to be replaced.
 * @returns its id, or that of the key of an interrupted run
 */
async function addKey(tx: TxCtx, isWanted: boolean): Promise<string | null> {
  const keys = await storedKeys(tx.db);
  const [newest] = keys;
  if (newest?.state === 'next') return newest.id;
  const active = keys.find(({ state }) => state === 'active');
  if (!newest || (!isWanted && active?.from_secret === false)) return null;
  const key = newDataKey();
  const wrapped = tx.system.keyring.wrap(key, 'newest');
  await insertKey(tx, { number: newest.number + 1, id: key.id, wrapped, state: 'next' });
  return key.id;
}

async function activateNext(tx: TxCtx): Promise<void> {
  await tx.db.updateTable('data_keys').set({ state: 'former' }).where('state', '=', 'active').execute();
  await tx.db.updateTable('data_keys').set({ state: 'active' }).where('state', '=', 'next').execute();
}

async function retireFormer(tx: TxCtx): Promise<void> {
  await tx.db.updateTable('data_keys').set({ state: 'retired' }).where('state', '=', 'former').execute();
}

async function sealAllAgain(
  system: System,
  showProgress: ResealOptions['showProgress'],
): Promise<Pick<Resealed, 'rows' | 'unreadable'>> {
  const done: Pick<Resealed, 'rows' | 'unreadable'> = { rows: 0, unreadable: [] };
  if ((await storedKeys(system.db)).length === 1) return done;
  const counts = await rowsByKey(system);
  const [activeId = ''] = system.keyring.keyIds;
  counts.delete(activeId);
  const progress = showProgress([...counts.values()].reduce((sum, count) => sum + count, 0));
  try {
    for (const place of sealedColumns(system.parts)) {
      // biome-ignore lint/performance/noAwaitInLoops: one column after the other
      const { rows, unreadable } = await sealColumnAgain(system, place, progress.advance);
      done.rows += rows;
      done.unreadable.push(...unreadable);
    }
  } finally {
    progress.end();
  }
  return done;
}

/**
 * A process that serves: where it runs, and the ids of its newest secrets and of its active and next data key. While its
 * change feed reconnects, nobody knows what it has.
 */
type ServingProcess = { address: string; isKnown: boolean; secrets: readonly string[]; keys: readonly string[] };

/** The processes that serve, by the connections of their change feeds, and by those that write. */
export async function servingProcesses({ db }: Pick<System, 'db'>): Promise<ServingProcess[]> {
  const { rows } = await sql<{ name: string; address: string }>`
    select distinct application_name as name, coalesce(host(client_addr), 'this machine') as address from pg_stat_activity
    where datname = current_database() and application_name like any (${[`${FEED_NAME}%`, `${POOL_NAME} %`]})`.execute(
    db,
  );
  const named = rows.map(({ name, address }) => ({ address, words: name.split(' ') }));
  const feeds = named.filter(({ words }) => words[0] === FEED_NAME);
  const tags = new Set(feeds.map(({ words }) => words[1]));
  const unknown = named.filter(({ words }) => words[0] === POOL_NAME && !tags.has(words[1]));
  return [
    ...feeds.map(({ address, words: [, , secrets = '', keys = ''] }) => ({
      address,
      isKnown: true,
      secrets: secrets.split(','),
      keys: keys.split(','),
    })),
    ...unknown.map(({ address }) => ({
      address: `${address}, whose change feed is down`,
      isKnown: false,
      secrets: [],
      keys: [],
    })),
  ];
}

type Expectation = (serving: ServingProcess) => boolean;

async function addressesWithout(system: System, expected: Expectation): Promise<string[]> {
  return (await servingProcesses(system)).filter((serving) => !expected(serving)).map(({ address }) => address);
}

/** @throws StartError if a process that serves was not started with the newest secret */
async function requireEverywhere(system: System, expected: Expectation): Promise<void> {
  await within(MAX_WAIT_MS, async () => (await servingProcesses(system)).every(({ isKnown }) => isKnown));
  const without = await addressesWithout(system, expected);
  if (without.length > 0)
    throw new StartError(
      `${without.length} running processes do not have the first secret of LATCHKEY_SECRET (${without.join(', ')}). Start each again with the secrets that this command has, then run it again. Nothing was changed.`,
    );
}

/** Longer than a transaction of a request lasts, and than a feed takes to notice that its connection is gone. */
const MAX_WAIT_MS = 60_000;

/** @throws StartError if a process does not follow in a minute */
async function untilEverywhere(system: System, expected: Expectation): Promise<void> {
  let without: string[] = [];
  const followed = await within(MAX_WAIT_MS, async () => {
    without = await addressesWithout(system, expected);
    return without.length === 0;
  });
  if (!followed)
    throw new StartError(
      `${without.length} running processes did not read the new data key (${without.join(', ')}). Start each again, then run this command again: it goes on where it stopped.`,
    );
}

import { UnknownKeyError } from '#platform/keyring.ts';
import type { System } from '#platform/system.ts';
import { storedKeys } from './data-keys.ts';
import { rowsByKey } from './sealed-values.ts';
import { canOpenSigningKeys } from './signing-keys.ts';

type Examination =
  | { fault: string }
  | {
      /** The secrets that encrypt the data keys: one, unless a reseal was interrupted. */
      secretIds: string[];
      /** The id of the data key that seals. */
      sealsWith: string;
      /** True if another than the first secret of LATCHKEY_SECRET encrypts data keys. */
      wrappedByOlder: boolean;
      /** True if the data key that seals is a secret. */
      needsNewKey: boolean;
      /** How many rows are sealed with other keys than the one that seals. */
      sealedOtherwise: number;
    };

/** What the data keys of a database need; null if there are none yet. Changes nothing in the database. */
export async function examineDataKeys(system: System): Promise<Examination | null> {
  const { keyring } = system;
  const stored = await storedKeys(system.db);
  if (stored.length === 0) return null;
  try {
    keyring.load(stored);
  } catch (error) {
    if (error instanceof UnknownKeyError) return { fault: error.message };
    throw error;
  }
  if (!(await canOpenSigningKeys(system))) return { fault: 'the data keys do not open the signing keys' };
  const [sealsWith = ''] = keyring.keyIds;
  const counts = await rowsByKey(system);
  counts.delete(sealsWith);
  return {
    secretIds: [...new Set(stored.map(({ wrapped }) => wrapped.split('.')[1] ?? ''))],
    sealsWith,
    wrappedByOlder: stored.some(({ wrapped }) => !keyring.isWrappedByNewest(wrapped)),
    needsNewKey: stored.some(({ state, from_secret }) => state === 'active' && from_secret),
    sealedOtherwise: [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
}

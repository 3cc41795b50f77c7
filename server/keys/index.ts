import type { Part } from '#platform/part.ts';
import { rotateDueKeys } from './rotation.ts';

export { signCompact, signEs256 } from './es256.ts';
export { ensureSigningKeys, listKeys, rotateKeys, rotateKeysNow } from './rotation.ts';
export { canOpenSigningKeys, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

export const part = { cleanUps: { rotateDueKeys } } satisfies Part;

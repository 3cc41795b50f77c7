export { signCompact, signEs256 } from './es256.ts';
export { type KeySummary, listKeys, rotateDueKeys, rotateKeys, rotateKeysNow } from './rotation.ts';
export { algorithms, canOpenSigningKeys, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

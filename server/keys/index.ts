export { signCompact, signEs256 } from './es256.ts';
export { keysPart } from './part.ts';
export { type KeySummary, listKeys, rotateKeys, rotateKeysNow } from './rotation.ts';
export { algorithms, canOpenSigningKeys, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

export { signCompact, signEs256 } from './es256.ts';
export { part } from './part.ts';
export { ensureSigningKeys, listKeys, rotateKeys, rotateKeysNow } from './rotation.ts';
export { canOpenSigningKeys, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

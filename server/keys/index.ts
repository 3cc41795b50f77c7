export { followDataKeys, openDataKeys, secretsOfDatabase } from './data-keys.ts';
export { signCompact, signEs256 } from './es256.ts';
export { examineDataKeys } from './examination.ts';
export { part } from './part.ts';
export { reseal } from './reseal.ts';
export { ensureSigningKeys, listKeys, rotateKeys, rotateKeysNow } from './rotation.ts';
export { canOpenSigningKeys, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

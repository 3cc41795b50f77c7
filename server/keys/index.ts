export { signCompact, signEs256 } from './es256.ts';
export { algorithms, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

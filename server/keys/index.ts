export { type Algorithm, algorithms, createSigningKey, type KeySet, type SigningKey, signingKeys } from './signing-keys.ts';

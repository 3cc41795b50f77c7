export { algorithms, createSigningKey, type SigningKey, signingKeys } from './signing-keys.ts';

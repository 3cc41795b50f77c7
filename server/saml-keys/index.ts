export { prepareFirstKey, publishedKeys, SamlKey, samlKeys, signingKey } from './keys.ts';
export { part } from './part.ts';

export { challengeResponse } from './acme.ts';
export { addressesOf, authAddressOf, boundAddresses, boundHost } from './bound-addresses.ts';
export { secureContextFor } from './certificates.ts';
export { part } from './part.ts';

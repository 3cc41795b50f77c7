export { challengeResponse } from './acme.ts';
export { addressesOf, authAddressOf, boundAddresses, boundHost } from './bound-addresses.ts';
export { secureContextFor } from './certificates.ts';
export { domainsPart } from './part.ts';
export { routes } from './routes.ts';

export { challengeAnswer } from './acme.ts';
export { addressesOf, authAddressOf, boundAddresses, boundHost } from './bound-addresses.ts';
export { secureContextFor } from './certificates.ts';
export { domainBindingRoutes, domainRoutes } from './domains.admin.ts';
export { domainsPart } from './part.ts';

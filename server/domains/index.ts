export { challengeAnswer, orderCertificates, orderCertificatesTask } from './acme.ts';
export { addressesOf, authAddressOf, boundAddresses, boundHost } from './bound-addresses.ts';
export { secureContextFor } from './certificates.ts';
export { recheckDomains } from './domain-checks.ts';
export { domainBindingRoutes, domainRoutes } from './domains.admin.ts';

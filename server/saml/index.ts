export type { AssertionContent } from './assertion.ts';
export type { Expected } from './expected.ts';
export { CHECKS, type Check, SamlFault } from './fault.ts';
export { requestAddress } from './messages.ts';
export { IdentityProvider, parseMetadata, serviceProviderMetadata } from './metadata.ts';
export { readResponse } from './response.ts';
export { newServiceKey, type ServiceKey } from './service-key.ts';

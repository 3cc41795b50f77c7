export type { AssertionContent } from './assertion.ts';
export { formFields, type Received, receivedInForm, receivedInQuery, redirectAddress } from './bindings.ts';
export type { Expected } from './expected.ts';
export { CHECKS, type Check, SamlFault } from './fault.ts';
export { issuing, serviceProviders } from './identity-provider.ts';
export {
  logoutRequestXml,
  logoutResponseXml,
  readLogoutRequest,
  readLogoutResponse,
} from './logout.ts';
export { authnRequestXml } from './messages.ts';
export { IdentityProvider, parseMetadata, serviceProviderMetadata } from './metadata.ts';
export type { NameId } from './name-id.ts';
export { readResponse } from './response.ts';
export { newServiceKey, type ServiceKey } from './service-key.ts';
export { signedXml } from './signing.ts';

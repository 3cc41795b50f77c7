import { readAuthnRequest } from './authn-request.ts';
import { issuedResponse, refusedResponse } from './issued-response.ts';
import { certificateFrom } from './metadata.ts';
import { CONTEXTS, NAME_ID_FORMATS } from './names.ts';
import {
  canEncrypt,
  identityProviderMetadata,
  parseServiceProvider,
  ServiceProviderDescription,
} from './service-provider.ts';

/** The side of the identity provider, for the part that signs people in at applications. */
export const issuing = {
  readRequest: readAuthnRequest,
  response: issuedResponse,
  refusal: refusedResponse,
  metadata: identityProviderMetadata,
  nameIdFormats: NAME_ID_FORMATS,
  contexts: CONTEXTS,
};

/** The service providers that administrators describe. */
export const serviceProviders = {
  parse: parseServiceProvider,
  Description: ServiceProviderDescription,
  certificateFrom,
  canEncrypt,
};

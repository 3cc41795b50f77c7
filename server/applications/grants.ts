export type ApplicationKind = 'spa' | 'web' | 'native' | 'management' | 'device' | 'saml';

/** OAuth grant types, as in `grant_type`. */
export type Grant =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:device_code'
  | typeof TOKEN_EXCHANGE;

/** RFC 8693 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The grant types each kind of application has unless others are named; the first is mandatory. SAML has none. */
const GRANTS: Readonly<Record<ApplicationKind, readonly Grant[]>> = {
  spa: ['authorization_code', 'refresh_token'],
  web: ['authorization_code', 'refresh_token'],
  native: ['authorization_code', 'refresh_token'],
  device: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  management: ['client_credentials'],
  saml: [],
};

/** The kinds of application that may have the grant type of token exchange: those that authenticate. */
export const EXCHANGING: readonly ApplicationKind[] = ['web', 'management'];

/** The grant types that a kind of application has unless others are named. */
export function grantsOf(kind: ApplicationKind): readonly Grant[] {
  return GRANTS[kind];
}

export type ApplicationKind = 'spa' | 'web' | 'native' | 'management' | 'device';

/** OAuth grant types, as in `grant_type`. */
export type Grant =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:device_code';

/** The grant types each kind of application may use; the first is mandatory. */
const GRANTS: Readonly<Record<ApplicationKind, readonly [Grant, ...Grant[]]>> = {
  spa: ['authorization_code', 'refresh_token'],
  web: ['authorization_code', 'refresh_token'],
  native: ['authorization_code', 'refresh_token'],
  device: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  management: ['client_credentials'],
};

/** The grant types that a kind of application may use. */
export function grantsOf(kind: ApplicationKind): readonly [Grant, ...Grant[]] {
  return GRANTS[kind];
}

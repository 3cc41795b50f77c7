export type ApplicationKind = 'spa' | 'web' | 'native' | 'management' | 'device';

/** OAuth grants, as `grant_type` names them. */
export type Grant =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:device_code';

/** What each kind of application may use; the first is what makes it one of its kind. */
const GRANTS: Readonly<Record<ApplicationKind, readonly [Grant, ...Grant[]]>> = {
  spa: ['authorization_code', 'refresh_token'],
  web: ['authorization_code', 'refresh_token'],
  native: ['authorization_code', 'refresh_token'],
  device: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  management: ['client_credentials'],
};

/** The grants an application of a kind may use. */
export function grantsOf(kind: ApplicationKind): readonly [Grant, ...Grant[]] {
  return GRANTS[kind];
}

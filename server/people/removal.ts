import { type Removal, rowsOfWorkspace } from '#platform/removal.ts';

/** People belong to a workspace; those of a project that is removed are looked after by the members' part. */
export const identityRemovals: readonly Removal[] = [
  rowsOfWorkspace('passkey_challenges'),
  rowsOfWorkspace(
    'users',
    'identifiers',
    'linked_identities',
    'mfa_factors',
    'passkeys',
    'passwords',
    'recovery_codes',
    'remembered_devices',
  ),
];

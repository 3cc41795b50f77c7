import { type Removal, rowsOfProject } from '#platform/removal.ts';

export const applicationRemovals: readonly Removal[] = [
  rowsOfProject('applications', 'application_secrets'),
  rowsOfProject('registration_tokens'),
  rowsOfProject('identity_providers'),
];

import { type Removal, rowsOfProject, rowsOfWorkspace } from '#platform/removal.ts';

export const authRemovals: readonly Removal[] = [
  rowsOfProject('flows'),
  rowsOfProject('exchange_codes'),
  rowsOfProject('upstream_flows'),
  rowsOfProject('mfa_challenges'),
  rowsOfWorkspace('spent_proofs'),
];

import { type Removal, rowsOfProject } from '#platform/removal.ts';

export const auditRemovals: readonly Removal[] = [
  rowsOfProject('audit_entries'),
  rowsOfProject('audit_resources'),
  rowsOfProject('audit_checkpoints'),
  rowsOfProject('audit_heads'),
];

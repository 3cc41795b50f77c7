import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { signDueCheckpoints } from './checkpoints.ts';

export const auditPart = {
  removals: [
    rowsOfProject('audit_entries'),
    rowsOfProject('audit_resources'),
    rowsOfProject('audit_checkpoints'),
    rowsOfProject('audit_heads'),
  ],
  cleanUps: { signDueCheckpoints },
} satisfies Part;

import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { auditRoutes } from './audit.admin.ts';
import { signDueCheckpoints } from './checkpoints.ts';
import { events } from './events.ts';

export const part = {
  events,
  routes: {
    admin: auditRoutes,
  },
  permissions: {
    'audit:read': 'Read and export the audit log',
  },
  sealed: { 'audit-key': sealedIn('audit_keys', 'private_sealed') },
  removals: [
    rowsOfProject('audit_entries'),
    rowsOfProject('audit_resources'),
    rowsOfProject('audit_checkpoints'),
    rowsOfProject('audit_heads'),
  ],
  cleanUps: { signDueCheckpoints },
} satisfies Part;

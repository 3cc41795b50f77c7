export { auditRoutes } from './audit.admin.ts';
export { signDueCheckpoints } from './checkpoints.ts';
export { auditFollower, forgetInAudit } from './entries.ts';
export { AuditFault, type Verified, verifyAudit } from './verification.ts';

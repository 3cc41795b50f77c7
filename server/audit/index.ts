export { auditFollower } from './entries.ts';
export { eraseFromAudit } from './erasures.ts';
export { part } from './part.ts';
export { AuditEvent, AuditQuery, activityOf, searchAudit } from './search.ts';
export { type AuditRecord, auditBacklogs, auditSequenceBefore, lastAuditSequence, readAudit } from './streaming.ts';
export { AuditFault, type Verified, verifyAudit } from './verification.ts';

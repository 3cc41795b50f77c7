export { reportImport } from './import-report.ts';
export { type ReadRow, readRow } from './import-rows.ts';
export { type ImportFormat, receiveImport } from './import-upload.ts';
export { importChunk } from './imports.task.ts';
export { getImport, type MemberImport } from './imports.ts';
export { exportMembers, noteExport } from './member-export.ts';
export { part } from './part.ts';

export { reportImport } from './import-report.ts';
export { type ImportFormat, receiveImport } from './import-upload.ts';
export { importChunk, importTask } from './import-work.ts';
export { importRoutes } from './imports.admin.ts';
export { forgetOldImports, getImport, type MemberImport } from './imports.ts';
export { exportMembers, memberCount, noteExport } from './member-export.ts';

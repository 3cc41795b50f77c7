/** Backups of the whole installation: made, stored, restored, verified; and single workspaces in files. */
export type { Manifest, ShowProgress } from './archive.ts';
export { configuredPlace, findBackup, makeBackupAlone } from './backups.ts';
export { newBackupKey } from './encryption.ts';
export { storeFile } from './folder.ts';
export { part } from './part.ts';
export { restoreBackup } from './restoring.ts';
export { startBackups } from './schedule.ts';
export { backupState } from './state.ts';
export { exportWorkspace } from './workspace-export.ts';
export { type Imported, importWorkspace } from './workspace-import.ts';
export { writeBackup } from './writing.ts';

/** Backups of the whole installation: made, stored, restored, verified. */
export type { Manifest, ShowProgress } from './archive.ts';
export { configuredPlace, findBackup, makeBackupAlone } from './backups.ts';
export { newBackupKey } from './encryption.ts';
export { storeFile } from './folder.ts';
export { part } from './part.ts';
export { restoreBackup } from './restoring.ts';
export { startBackups } from './schedule.ts';
export { backupState } from './state.ts';
export { writeBackup } from './writing.ts';

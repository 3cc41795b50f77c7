/** Backups of the whole installation: writing, restoring and verifying them. */
export type { Manifest, ShowProgress } from './archive.ts';
export { checkSecrets, inScratchDatabase, openArchive, restoreInto } from './restoring.ts';
export { writeBackup } from './writing.ts';

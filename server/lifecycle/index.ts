/** Deleting, restoring and removing projects and workspaces. */
export { closeForExport, keepWorkspace } from './deletions.ts';
export { part } from './part.ts';

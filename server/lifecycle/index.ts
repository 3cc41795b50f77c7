export { deletionRoutes } from './deletions.console.ts';
export { PARTS } from './parts.ts';
export { removeScopeTask } from './removal.ts';
export { projectRoutes, workspaceRoutes } from './workspaces.console.ts';

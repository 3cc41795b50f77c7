export { deletionRoutes } from './deletions.console.ts';
export { removeScopeTask } from './removal.ts';
export { projectRoutes, workspaceRoutes } from './workspaces.console.ts';

export { deletionRoutes } from './deletions.console.ts';
export { lifecyclePart } from './part.ts';
export { PARTS } from './parts.ts';
export { projectRoutes, workspaceRoutes } from './workspaces.console.ts';

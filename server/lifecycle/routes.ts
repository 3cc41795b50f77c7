import { deletionRoutes } from './deletions.console.ts';
import { workspaceRoutes } from './workspaces.console.ts';

/** Everything that is served here, by surface. */
export const routes = {
  console: [...deletionRoutes, ...workspaceRoutes],
};

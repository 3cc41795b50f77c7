import { deletionRoutes } from './deletions.console.ts';
import { workspaceRoutes } from './workspaces.console.ts';

/** Every route of this part, by surface. */
export const routes = {
  console: [...deletionRoutes, ...workspaceRoutes],
};

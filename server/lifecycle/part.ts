import type { Part } from '#platform/part.ts';
import { deletionRoutes } from './deletions.console.ts';
import { events } from './events.ts';
import { removeScopeTask } from './removal.task.ts';
import { workspaceRoutes } from './workspaces.console.ts';

export const part = {
  events,
  routes: {
    console: [...deletionRoutes, ...workspaceRoutes],
  },
  tasks: { remove_scope: removeScopeTask },
} satisfies Part;

import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';
import { profileRoutes } from './profile.me.ts';

/** Users belong to a workspace; the members part removes those of a removed project. */
export const part = {
  events,
  routes: {
    me: profileRoutes,
  },
  removals: [rowsOfWorkspace('users')],
  imported: ['users'],
} satisfies Part;

import { eventTypeRoutes } from './event-types.admin.ts';
import { feedRoutes } from './feed.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: [...eventTypeRoutes, ...feedRoutes],
};

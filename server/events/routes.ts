import { eventTypeRoutes } from './event-types.admin.ts';
import { feedRoutes } from './feed.admin.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: [...eventTypeRoutes, ...feedRoutes],
};

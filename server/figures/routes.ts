import { inboxRoutes, overviewRoutes } from './overview.console.ts';

/** The routes of this part, by surface. */
export const routes = {
  console: overviewRoutes,
  /** On the console host, in development mode. */
  development: inboxRoutes,
};

import { inboxRoutes, overviewRoutes } from './overview.console.ts';

/** Everything that is served here, by surface. */
export const routes = {
  console: overviewRoutes,
  /** At the console, in development mode. */
  development: inboxRoutes,
};

import { accountRoutes } from './account.page.ts';

/** Everything that is served here, by surface. */
export const routes = {
  page: accountRoutes,
};

import { accountRoutes } from './account.page.ts';

/** Every route of this part, by surface. */
export const routes = {
  page: accountRoutes,
};

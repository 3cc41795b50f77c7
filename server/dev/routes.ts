import { devAppRoutes } from './dev-app.page.ts';
import { devInboxRoutes } from './dev-inbox.page.ts';
import { devProviderRoutes } from './dev-provider.page.ts';
import { devReceiverRoutes } from './dev-receiver.page.ts';
import { startPageRoutes } from './start.page.ts';

/** The routes of this part, by surface. */
export const routes = {
  /** In development mode. */
  page: [...devAppRoutes, ...devInboxRoutes, ...devProviderRoutes, ...devReceiverRoutes],
  /** In every mode. */
  start: startPageRoutes,
};

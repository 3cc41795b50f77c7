import { builtApplicationRoutes } from './application.page.ts';
import { logRoutes } from './logs.console.ts';
import { consoleDescriptionRoutes } from './openapi.console.ts';
import { previewRoutes } from './preview.console.ts';

/** The routes of this part, by surface. */
export const routes = {
  console: [...logRoutes, ...consoleDescriptionRoutes, ...previewRoutes],
  page: builtApplicationRoutes,
};

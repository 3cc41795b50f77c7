import type { Routes } from '#platform/http.ts';

/** The description of the console's own API, which its typed client is made from. */
export const consoleDescriptionRoutes: Routes = (app) => {
  app.get('/console/v1/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, () => {
    const description = app.swagger();
    const paths = Object.entries(description.paths ?? {}).filter(([path]) => path.startsWith('/console/v1/'));
    return { ...description, paths: Object.fromEntries(paths) };
  });
};

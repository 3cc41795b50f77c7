import { get, type Routes } from '#platform/route.ts';

/** The description of the console's own API, which its typed client is made from. */
export const consoleDescriptionRoutes: Routes = [
  get('/console/v1/openapi.json', {
    permission: 'public',
    handler: ({ server }) => {
      const description = server.swagger();
      const paths = Object.entries(description.paths ?? {}).filter(([path]) => path.startsWith('/console/v1/'));
      return { ...description, paths: Object.fromEntries(paths) };
    },
  }),
];

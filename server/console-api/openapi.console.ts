import { get, type Routes } from '#platform/route.ts';

/** The API description of the console, from which its typed client is generated. */
export const consoleDescriptionRoutes: Routes = [
  get('/console/v1/openapi.json', {
    permission: 'public',
    handler: async ({ server }) => {
      const description = await server.describe();
      const paths = Object.entries(description.paths ?? {}).filter(([path]) => path.startsWith('/console/v1/'));
      return { ...description, paths: Object.fromEntries(paths) };
    },
  }),
];

import { onlyPaths } from '#platform/openapi.ts';
import { get, type Routes } from '#platform/route.ts';

/** The API description of the console, from which its typed client is generated. */
export const consoleDescriptionRoutes: Routes = [
  get('/console/v1/openapi.json', {
    permission: 'public',
    handler: async ({ server }) => onlyPaths(await server.describe(), /^\/console\/v1\//),
  }),
];

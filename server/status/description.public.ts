import { onlyPaths } from '#platform/openapi.ts';
import { get, type Routes } from '#platform/route.ts';

/** The OpenAPI description of what programs read of status pages, and how they subscribe. */
export const statusDescriptionRoutes: Routes = [
  get('/api/status/openapi.json', {
    permission: 'public',
    handler: async ({ server }) => {
      const { info, ...description } = onlyPaths(await server.describe(), /^(\/status\/p\/\{slug\})?\/api\//);
      return { ...description, info: { ...info, title: 'Latchkey status pages' } };
    },
  }),
];

import type { Routes } from '#platform/http.ts';
import { dangerous } from './step-up.ts';

/** The description of the console's own API, which its typed client is made from. */
export const consoleDescriptionRoutes: Routes = (app) => {
  app.get('/console/v1/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, () => {
    const description = app.swagger();
    const paths = Object.entries(description.paths ?? {})
      .filter(([path]) => path.startsWith('/console/v1/'))
      .map(([path, operations]) => [path, marked(path, Object(operations))]);
    return { ...description, paths: Object.fromEntries(paths) };
  });
};

/** `x-step-up` on what asks who it is again, so that a page can say so before. */
function marked(path: string, operations: Record<string, unknown>): Record<string, unknown> {
  const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      dangerous.includes(`${method.toUpperCase()} ${route}`) ? { ...Object(operation), 'x-step-up': true } : operation,
    ]),
  );
}

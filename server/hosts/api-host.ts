import { profileRoutes } from '#identity';
import {
  authorizationRoutes,
  contextRoutes,
  memberRoutes,
  membershipRoutes,
  permissionRoutes,
  roleRoutes,
} from '#members';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { statusRoutes } from '#status';
import { addAuthentication } from './principal.ts';
import { problemPageRoutes } from './problems.page.ts';

/** `/v1/me/*` for the signed-in customer and `/v1/admin/*` for back ends, of one environment. */
export async function createApiHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'api', environment });
  addAuthentication(app, environment);
  contextRoutes(app);
  membershipRoutes(app);
  authorizationRoutes(app);
  profileRoutes(app);
  memberRoutes(app);
  roleRoutes(app);
  permissionRoutes(app);
  statusRoutes(app);
  problemPageRoutes(app);
  return app;
}

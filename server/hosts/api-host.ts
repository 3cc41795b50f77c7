import { boundAddresses } from '#domains';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import type { System } from '#platform/system.ts';
import { addAuthentication, addCors } from '#requests';
import { served } from './routes.ts';

/** `/v1/me/*` for the signed-in customer and `/v1/admin/*` for back ends, of one environment. */
export async function createApiHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'api', environment }, boundAddresses(system, 'api', environment));
  addCors(app);
  addAuthentication(app, environment);
  mount(app, environment === 'production' ? [...served.api, ...served.callbacks] : served.api);
  return app;
}

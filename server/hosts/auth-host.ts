import { boundAddresses } from '#domains';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import type { System } from '#platform/system.ts';
import { addAuthentication, addCors } from '#requests';
import { countSignIns } from '#status';
import { countWays } from '#ways';
import { addOrganizationAddresses } from './organization-addresses.ts';
import { served } from './routes.ts';

/** Customer authentication, OIDC and session operations of one environment. */
export async function createAuthHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'auth', environment }, boundAddresses(system, 'auth', environment));
  addOrganizationAddresses(app);
  addCors(app);
  addAuthentication(app, environment);
  countSignIns(app, environment);
  countWays(app, environment);
  mount(app, served.auth);
  return app;
}

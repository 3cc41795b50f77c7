import { emailVerificationRoutes, methodRoutes, passwordLoginRoutes, registerRoutes, sessionRoutes } from '#auth';
import { oidcRoutes } from '#oidc';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { statusRoutes } from '#status';
import { addAuthentication } from './principal.ts';
import { problemPageRoutes } from './problems.page.ts';

/** Customer authentication, OIDC and session operations of one environment. */
export async function createAuthHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'auth', environment });
  addAuthentication(app, environment);
  methodRoutes(app);
  registerRoutes(app);
  passwordLoginRoutes(app);
  emailVerificationRoutes(app);
  sessionRoutes(app);
  await oidcRoutes(app);
  statusRoutes(app);
  problemPageRoutes(app);
  return app;
}

import { stripeRoutes } from '#billing';
import { boundAddresses } from '#domains';
import { authorizationRoutes, contextRoutes, membershipRoutes } from '#members';
import { receiptRoutes } from '#messages';
import { usedApplicationRoutes } from '#oidc';
import { profileRoutes } from '#people';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { addAuthentication, addCors } from '#requests';
import {
  accountRoutes,
  addressRoutes,
  factorRoutes,
  linkedIdentityRoutes,
  onePasskeyRoutes,
  oneSessionRoutes,
  ownSessionRoutes,
  passkeyRoutes,
  securityRoutes,
  totpRoutes,
} from '#self';
import { statusHistoryRoutes, statusRoutes, statusSubscribeRoutes } from '#status';
import { adminRoutes } from './admin-routes.ts';
import { problemPageRoutes } from './problems.page.ts';

/** `/v1/me/*` for the signed-in customer and `/v1/admin/*` for back ends, of one environment. */
export async function createApiHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'api', environment }, boundAddresses(system, 'api', environment));
  addCors(app);
  addAuthentication(app, environment);
  contextRoutes(app);
  membershipRoutes(app);
  authorizationRoutes(app);
  profileRoutes(app);
  addressRoutes(app);
  accountRoutes(app);
  securityRoutes(app);
  totpRoutes(app);
  factorRoutes(app);
  ownSessionRoutes(app);
  oneSessionRoutes(app);
  usedApplicationRoutes(app);
  passkeyRoutes(app);
  onePasskeyRoutes(app);
  linkedIdentityRoutes(app);
  adminRoutes(app);
  // Carriers and the payment provider know of production only.
  if (environment === 'production') {
    receiptRoutes(app);
    stripeRoutes(app);
  }
  statusRoutes(app);
  statusSubscribeRoutes(app);
  statusHistoryRoutes(app);
  problemPageRoutes(app);
  return app;
}

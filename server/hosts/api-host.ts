import { applicationRoutes, identityProviderRoutes, registrationTokenRoutes } from '#applications';
import {
  addressRoutes,
  adminSessionRoutes,
  factorRoutes,
  linkedIdentityRoutes,
  memberCredentialRoutes,
  onePasskeyRoutes,
  ownSessionRoutes,
  passkeyRoutes,
  providerTestRoutes,
  securityRoutes,
  totpRoutes,
} from '#auth';
import { eventTypeRoutes, feedRoutes } from '#events';
import { profileRoutes } from '#identity';
import {
  authorizationRoutes,
  contextRoutes,
  invitationRoutes,
  memberRoutes,
  membershipRoutes,
  permissionRoutes,
  roleRoutes,
} from '#members';
import { messageRoutes } from '#messages';
import { usedApplicationRoutes } from '#oidc';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import { statusRoutes } from '#status';
import { boundAddresses, domainBindingRoutes, domainRoutes, settingsRoutes } from '#tenancy';
import { deliveryRoutes, endpointActionRoutes, endpointRepairRoutes, endpointRoutes } from '#webhooks';
import { addCors } from './cors.ts';
import { addAuthentication } from './principal.ts';
import { problemPageRoutes } from './problems.page.ts';

/** `/v1/me/*` for the signed-in customer and `/v1/admin/*` for back ends, of one environment. */
export async function createApiHost(system: System, environment: Environment): Promise<App> {
  const app = await createHost(system, { kind: 'api', environment }, boundAddresses(system, 'api', environment));
  addCors(app, environment);
  addAuthentication(app, environment);
  contextRoutes(app);
  membershipRoutes(app);
  authorizationRoutes(app);
  profileRoutes(app);
  addressRoutes(app);
  securityRoutes(app);
  totpRoutes(app);
  factorRoutes(app);
  ownSessionRoutes(app);
  usedApplicationRoutes(app);
  passkeyRoutes(app);
  onePasskeyRoutes(app);
  linkedIdentityRoutes(app);
  memberRoutes(app);
  memberCredentialRoutes(app);
  adminSessionRoutes(app);
  invitationRoutes(app);
  roleRoutes(app);
  permissionRoutes(app);
  applicationRoutes(app);
  registrationTokenRoutes(app);
  identityProviderRoutes(app);
  providerTestRoutes(app);
  settingsRoutes(app);
  domainRoutes(app);
  domainBindingRoutes(app);
  messageRoutes(app);
  endpointRoutes(app);
  endpointActionRoutes(app);
  endpointRepairRoutes(app);
  deliveryRoutes(app);
  eventTypeRoutes(app);
  feedRoutes(app);
  statusRoutes(app);
  problemPageRoutes(app);
  return app;
}

import { applicationRoutes, identityProviderRoutes, registrationTokenRoutes } from '#applications';
import { auditRoutes } from '#audit';
import {
  accountRoutes,
  addressRoutes,
  adminSessionRoutes,
  factorRoutes,
  linkedIdentityRoutes,
  memberCredentialRoutes,
  onePasskeyRoutes,
  oneSessionRoutes,
  ownSessionRoutes,
  passkeyRoutes,
  providerTestRoutes,
  securityRoutes,
  totpRoutes,
} from '#auth';
import { smsAddOnRoutes, smsGuardRoutes, smsUsageRoutes, stripeRoutes } from '#billing';
import { eventTypeRoutes, feedRoutes } from '#events';
import { profileRoutes } from '#identity';
import {
  adminAuthorizationRoutes,
  authorizationRoutes,
  contextRoutes,
  importRoutes,
  invitationRoutes,
  memberRoutes,
  membershipRoutes,
  permissionRoutes,
  provisioningRoutes,
  roleRoutes,
} from '#members';
import { messageRoutes, receiptRoutes } from '#messages';
import { usedApplicationRoutes } from '#oidc';
import type { Environment } from '#platform/ctx.ts';
import { type App, createHost } from '#platform/http.ts';
import type { System } from '#platform/system.ts';
import {
  statusComponentRoutes,
  statusGroupRoutes,
  statusHistoryRoutes,
  statusIncidentRoutes,
  statusMaintenanceRoutes,
  statusRoutes,
  statusSubscribeRoutes,
  statusSubscriberRoutes,
} from '#status';
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
  memberRoutes(app);
  importRoutes(app);
  provisioningRoutes(app);
  memberCredentialRoutes(app);
  adminSessionRoutes(app);
  invitationRoutes(app);
  roleRoutes(app);
  permissionRoutes(app);
  adminAuthorizationRoutes(app);
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
  auditRoutes(app);
  feedRoutes(app);
  smsAddOnRoutes(app);
  smsUsageRoutes(app);
  smsGuardRoutes(app);
  // Carriers and the payment provider know of production only.
  if (environment === 'production') {
    receiptRoutes(app);
    stripeRoutes(app);
  }
  statusComponentRoutes(app);
  statusGroupRoutes(app);
  statusIncidentRoutes(app);
  statusMaintenanceRoutes(app);
  statusSubscriberRoutes(app);
  statusRoutes(app);
  statusSubscribeRoutes(app);
  statusHistoryRoutes(app);
  problemPageRoutes(app);
  return app;
}

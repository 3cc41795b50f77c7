import { applicationRoutes, identityProviderRoutes, registrationTokenRoutes } from '#applications';
import { auditRoutes } from '#audit';
import { smsAddOnRoutes, smsGuardRoutes, smsUsageRoutes } from '#billing';
import { domainBindingRoutes, domainRoutes } from '#domains';
import { eventTypeRoutes, feedRoutes } from '#events';
import { providerTestRoutes } from '#federation';
import { importRoutes } from '#imports';
import { invitationRoutes } from '#invitations';
import { adminAuthorizationRoutes, memberRoutes, permissionRoutes, provisioningRoutes, roleRoutes } from '#members';
import { messageRoutes } from '#messages';
import type { Routes } from '#platform/http.ts';
import { adminSessionRoutes, memberCredentialRoutes } from '#self';
import {
  statusComponentRoutes,
  statusGroupRoutes,
  statusIncidentRoutes,
  statusMaintenanceRoutes,
  statusSubscriberRoutes,
} from '#status';
import { settingsRoutes } from '#tenancy';
import { deliveryRoutes, endpointActionRoutes, endpointRepairRoutes, endpointRoutes } from '#webhooks';

/** What back ends do on the API host, and operators at the console. */
export const adminRoutes: Routes = (app) => {
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
  statusComponentRoutes(app);
  statusGroupRoutes(app);
  statusIncidentRoutes(app);
  statusMaintenanceRoutes(app);
  statusSubscriberRoutes(app);
};

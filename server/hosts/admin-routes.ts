import { applicationRoutes, identityProviderRoutes } from '#applications';
import { adminSessionRoutes, memberCredentialRoutes, providerTestRoutes } from '#auth';
import { eventTypeRoutes, feedRoutes } from '#events';
import { invitationRoutes, memberRoutes, permissionRoutes, roleRoutes } from '#members';
import { messageRoutes } from '#messages';
import type { Routes } from '#platform/http.ts';
import { settingsRoutes } from '#tenancy';
import { deliveryRoutes, endpointActionRoutes, endpointRepairRoutes, endpointRoutes } from '#webhooks';

/** What back ends do on the API host, and operators at the console. */
export const adminRoutes: Routes = (app) => {
  memberRoutes(app);
  memberCredentialRoutes(app);
  adminSessionRoutes(app);
  invitationRoutes(app);
  roleRoutes(app);
  permissionRoutes(app);
  applicationRoutes(app);
  identityProviderRoutes(app);
  providerTestRoutes(app);
  settingsRoutes(app);
  messageRoutes(app);
  endpointRoutes(app);
  endpointActionRoutes(app);
  endpointRepairRoutes(app);
  deliveryRoutes(app);
  eventTypeRoutes(app);
  feedRoutes(app);
};

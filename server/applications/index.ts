export { answerForClients } from './absent-clients.ts';
export { accountPageId, isAccountPage } from './account-page.ts';
export { applicationNames } from './application-names.ts';
export { applicationIdsOf, moveApplication } from './application-records.ts';
export { applicationRoutes } from './applications.admin.ts';
export {
  type Application,
  checkSecret,
  createApplication,
  disableApplication,
  findApplication,
  type NewApplication,
  rotateSecret,
} from './applications.ts';
export { identityProviderRoutes } from './identity-providers.admin.ts';
export {
  createProvider,
  enabledProviders,
  type ProviderId,
  type UpstreamProvider,
  upstreamProvider,
} from './identity-providers.ts';
export { isApplicationOrigin, originsOf, ownOriginsOf } from './origins.ts';
export { applicationsPart } from './part.ts';
export { holdFirstParty, isFirstParty } from './parties.ts';
export { registrationRoutes } from './registration.auth.ts';
export { registrationTokenRoutes } from './registration-tokens.admin.ts';

export { answerForClients } from './absent-clients.ts';
export { accountPageId, isAccountPage } from './account-page.ts';
export { applicationNames } from './application-names.ts';
export { applicationIdsOf, moveApplication } from './application-records.ts';
export {
  type Application,
  checkSecret,
  createApplication,
  disableApplication,
  findApplication,
  type NewApplication,
  rotateSecret,
} from './applications.ts';
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
export { routes } from './routes.ts';

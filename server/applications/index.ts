export { accountPageId, isAccountPage } from './account-page.ts';
export { moveApplication } from './application-changes.ts';
export { applicationNames } from './application-names.ts';
export { applicationIdsOf, getApplication } from './application-records.ts';
export {
  type Application,
  checkSecret,
  createApplication,
  disableApplication,
  findApplication,
  type NewApplication,
  rotateSecret,
} from './applications.ts';
export { exchangingApplications } from './exchanging.ts';
export { isApplicationOrigin, originsOf, ownOriginsOf } from './origins.ts';
export { part } from './part.ts';
export { holdFirstParty, isFirstParty } from './parties.ts';

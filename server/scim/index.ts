export { SCIM_PATH } from './directory.ts';
export { directoryGroups } from './group-roles.ts';
export { groupsOfMembers, knownGroups } from './groups-in-bulk.ts';
export { part } from './part.ts';
export { eraseProvisioning } from './provisioning-log.ts';
export { deleteScimToken, getScimToken, issueScimToken, listScimTokens } from './tokens.ts';
export { directoryRecordsOf } from './users.ts';

export { SCIM_PATH } from './directory.ts';
export { groupsOfMembers, knownGroups } from './groups-in-bulk.ts';
export { part } from './part.ts';
export { deleteScimToken, getScimToken, issueScimToken, listScimTokens } from './tokens.ts';

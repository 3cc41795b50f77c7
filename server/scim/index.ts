export { SCIM_PATH } from './directory.ts';
export { part } from './part.ts';
export { deleteScimToken, getScimToken, issueScimToken, listScimTokens } from './tokens.ts';

export { ApiGrant, grantedApis, NewApiGrants, type StoredGrant, shownGrants, storedGrants } from './api-grants.ts';
export { createApi } from './apis.ts';
export { readApis, type ScopeText, scopeTexts } from './known-apis.ts';
export { part } from './part.ts';

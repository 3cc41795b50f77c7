export { oidcCleanup, recordsFor } from './adapter.ts';
export { oidcRoutes } from './provider.auth.ts';

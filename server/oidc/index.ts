export { oidcCleanup } from './adapter.ts';
export { oidcRoutes } from './provider.auth.ts';

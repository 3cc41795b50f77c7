export { holderOf } from './access-tokens.ts';
export { oidcCleanup, recordsFor } from './adapter.ts';
export { usedApplicationRoutes } from './applications.me.ts';
export { endProviderSessions } from './bound-sessions.ts';
export { clientsOfSessions, consentsOf } from './grants.ts';
export { type Interaction, interactions } from './interactions.ts';
export { backchannelLogoutTask } from './logout.ts';
export { oidcRoutes } from './provider.auth.ts';

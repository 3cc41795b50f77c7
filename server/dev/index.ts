export { devAppRoutes } from './dev-app.page.ts';
export { DEV_APP_CALLBACK } from './dev-app.ts';
export { devInboxRoutes } from './dev-inbox.page.ts';
export { devProviderRoutes } from './dev-provider.page.ts';
export { addDevProvider } from './dev-provider.ts';
export { devReceiverRoutes } from './dev-receiver.page.ts';
export { startPageRoutes } from './start.page.ts';

export { DEV_APP_CALLBACK } from './dev-app.ts';
export { addDevProvider } from './dev-provider.ts';
export { part } from './part.ts';

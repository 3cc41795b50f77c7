export { DEV_APP_CALLBACK } from './dev-app.ts';
export { addDevProvider } from './dev-provider.ts';
export { routes } from './routes.ts';

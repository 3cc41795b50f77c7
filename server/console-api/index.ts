export { applicationRoutes as consoleApplicationRoutes } from './application.page.ts';
export { logRoutes } from './logs.console.ts';
export { atConsole } from './moved-routes.ts';
export { consoleDescriptionRoutes } from './openapi.console.ts';
export { previewRoutes } from './preview.console.ts';

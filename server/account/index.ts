export { accountRoutes } from './account.page.ts';

export { mailedLinkRoutes } from './mailed-links.page.ts';

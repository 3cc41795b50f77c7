import { assetRoutes } from './assets.page.ts';
import { mailedLinkRoutes } from './mailed-links.page.ts';
import { signInRoutes } from './sign-in.page.ts';

/** Everything that is served here, by surface. */
export const routes = {
  page: [...assetRoutes, ...mailedLinkRoutes, ...signInRoutes],
};

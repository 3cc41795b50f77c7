import { assetRoutes } from './assets.page.ts';
import { mailedLinkRoutes } from './mailed-links.page.ts';
import { signInRoutes } from './sign-in.page.ts';

/** Every route of this part, by surface. */
export const routes = {
  page: [...assetRoutes, ...mailedLinkRoutes, ...signInRoutes],
};

import type { Part } from '#platform/part.ts';
import { assetRoutes } from './assets.page.ts';
import { mailedLinkRoutes } from './mailed-links.page.ts';
import { signInRoutes } from './sign-in.page.ts';

export const part = {
  routes: {
    auth: [...assetRoutes, ...mailedLinkRoutes, ...signInRoutes],
  },
  sealed: { 'sign-in-step': 'browsers' },
} satisfies Part;

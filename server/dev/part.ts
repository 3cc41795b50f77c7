import type { Part } from '#platform/part.ts';
import { devAppRoutes } from './dev-app.page.ts';
import { devInboxRoutes } from './dev-inbox.page.ts';
import { devProviderRoutes } from './dev-provider.page.ts';
import { devReceiverRoutes } from './dev-receiver.page.ts';
import { startPageRoutes } from './start.page.ts';

export const part = {
  routes: {
    development: [...devAppRoutes, ...devInboxRoutes, ...devProviderRoutes, ...devReceiverRoutes],
    start: startPageRoutes,
  },
  sealed: { 'dev-app': 'browsers' },
} satisfies Part;

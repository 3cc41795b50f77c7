import type { Part } from '#platform/part.ts';
import { accountRoutes } from './account.page.ts';

export const part = {
  routes: {
    auth: accountRoutes,
  },
  sealed: { 'account-step': 'browsers' },
} satisfies Part;

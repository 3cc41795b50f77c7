import type { Part } from '#platform/part.ts';
import { events } from './events.ts';
import { mfaRoutes } from './mfa.auth.ts';

export const part = {
  events,
  routes: {
    auth: mfaRoutes,
  },
} satisfies Part;

import { profileRoutes } from './profile.me.ts';

/** Every route of this part, by surface. */
export const routes = {
  me: profileRoutes,
};

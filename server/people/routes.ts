import { profileRoutes } from './profile.me.ts';

/** Everything that is served here, by surface. */
export const routes = {
  me: profileRoutes,
};

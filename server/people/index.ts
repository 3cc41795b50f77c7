import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';
import { profileRoutes } from './profile.me.ts';

export { replaceAddress } from './addresses.ts';
export {
  ErasureWork,
  eraseIfDue,
  eraseUserJob,
  keepAccount,
  lockUsers,
  scheduleErasure,
  scheduleErasures,
  usersAwaitingErasure,
} from './erasure.ts';
export { getProfile, type Profile, updateProfile } from './profile.ts';
export { searchPeople } from './search.ts';
export { createUser, lockUser, type UserSummary, usersById } from './users.ts';
export { createUsers, exportUsers, type NewPerson } from './users-in-bulk.ts';

/** Users belong to a workspace; the members part removes those of a removed project. */
export const part = {
  events,
  routes: {
    me: profileRoutes,
  },
  removals: [rowsOfWorkspace('users')],
  imported: ['users'],
} satisfies Part;

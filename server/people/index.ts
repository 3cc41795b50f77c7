export { replaceAddress } from './addresses.ts';
export {
  ErasureWork,
  eraseIfDue,
  eraseUserJob,
  erasureWith,
  keepAccount,
  lockUsers,
  scheduleErasure,
  scheduleErasures,
  usersAwaitingErasure,
} from './erasure.ts';
export { part } from './part.ts';
export { getProfile, type Profile, updateProfile } from './profile.ts';
export { searchPeople } from './search.ts';
export { createUser, holdUser, homeOf, isBeingCreated, lockUser, type UserSummary, usersById } from './users.ts';
export { createUsers, exportUsers, type NewPerson } from './users-in-bulk.ts';

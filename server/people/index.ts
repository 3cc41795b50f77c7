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
export { joinErasures } from './erasure-steps.ts';
export { peoplePart } from './part.ts';
export { getProfile, type Profile, updateProfile } from './profile.ts';
export { routes } from './routes.ts';
export { searchPeople } from './search.ts';
export { createUser, lockUser, type UserSummary, usersById } from './users.ts';
export { analyseUsers, createUsers, exportUsers, type NewPerson } from './users-in-bulk.ts';

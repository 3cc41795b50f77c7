export { oldAddresses } from './address-review.ts';
export {
  addressesOf,
  addressesOfOthers,
  deleteUser,
  ErasureWork,
  eraseUserJob,
  isDueForErasure,
  keepAccount,
  lockUsers,
  scheduleErasure,
  scheduleErasures,
  usersAwaitingErasure,
} from './erasure.ts';
export { joinErasures } from './erasure-steps.ts';
export {
  findIdentifier,
  markVerified,
  replaceAddress,
} from './identifiers.ts';
export { peoplePart } from './part.ts';
export { getProfile, type Profile, updateProfile } from './profile.ts';
export { routes } from './routes.ts';
export { searchPeople } from './search.ts';
export { findSignInCandidate, type SignInCandidate } from './sign-in-candidates.ts';
export { removeIdentifiersSince, unprovenSince } from './unproven.ts';
export { createUser, homeProjectOf, lockUser, type UserSummary, usersById } from './users.ts';
export { analyseUsers, createUsers, exportUsers, type NewPerson, ownersOfIdentifiers } from './users-in-bulk.ts';

export { hashPassword, verifyPassword } from './hashing.ts';
export { Email, findIdentifier, Identifier, markVerified, normalise } from './identifiers.ts';
export { checkPolicy, findSignInCandidate, minimumLength, Password } from './passwords.ts';
export { profileRoutes } from './profile.me.ts';
export { createUser, matchingUsers, type UserSummary, usersById } from './users.ts';

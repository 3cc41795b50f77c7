export { oldAddresses } from './address-review.ts';
export { askBreachedAhead } from './breached-passwords.ts';
export { dearHashes } from './dear-hashes.ts';
export { whenPeopleLeave } from './departures.ts';
export {
  addressesOf,
  addressesOfOthers,
  deleteUser,
  ErasureWork,
  eraseUserJob,
  isDueForErasure,
  keepAccount,
  lockUsers,
  peopleLeaving,
  scheduleErasure,
  scheduleErasures,
} from './erasure.ts';
export { hashPassword, isOutdated, verifyPassword } from './hashing.ts';
export {
  Email,
  findIdentifier,
  Identifier,
  KnownEmail,
  markVerified,
  type NormalisedIdentifier,
  normalise,
  normaliseEmail,
  normalisePhone,
  Phone,
  replaceAddress,
  Username,
} from './identifiers.ts';
export {
  findLinkedUser,
  identityUsed,
  type LinkedIdentityId,
  linkIdentity,
  listIdentities,
  type UpstreamAccount,
  unlinkIdentity,
} from './linked-identities.ts';
export {
  addPhoneFactor,
  checkTotp,
  confirmTotp,
  enrolTotp,
  type FactorId,
  factorUsed,
  findFactor,
  findTotp,
  listFactors,
  removeAllFactors,
  removeFactor,
  withFactors,
} from './mfa-factors.ts';
export { voidOpenProofs, whenProofsEnd } from './open-proofs.ts';
export { CHALLENGE_SECONDS, type ChallengeId, forgetDeadChallenges } from './passkey-challenges.ts';
export {
  changePasskey,
  clearSecondFactorPasskeys,
  listPasskeys,
  type PasskeyId,
  removePasskey,
} from './passkey-store.ts';
export {
  AuthenticationResponse,
  addPasskey,
  checkPasskey,
  type PasskeyAnswer,
  passkeyCreationOptions,
  passkeyRequestOptions,
  RegistrationResponse,
  type RelyingParty,
  WebAuthnOptions,
} from './passkeys.ts';
export { isPasswordHash } from './password-hashes.ts';
export {
  checkPolicy,
  findPassword,
  holdPassword,
  minimumLength,
  Password,
  setPassword,
  upgradeHash,
} from './passwords.ts';
export { profileRoutes } from './profile.me.ts';
export { getProfile, type Profile, ProfileChanges, profileFields, requireSmall, updateProfile } from './profile.ts';
export { newRecoveryCodes, recoveryCodesLeft, removeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
export {
  type DeviceId,
  forgetDeadDevices,
  forgetDevices,
  isRemembered,
  listDevices,
  rememberDevice,
  useRememberedDevice,
} from './remembered-devices.ts';
export { identityRemovals } from './removal.ts';
export { matches, type Search, searchFor, usersMatching } from './search.ts';
export { enrolledSecondFactors, guardingSecondFactors, type SecondFactor } from './second-factors.ts';
export { findSignInCandidate, type SignInCandidate } from './sign-in-candidates.ts';
export { removeUnproven, unprovenSince } from './unproven.ts';
export { createUser, homeProjectOf, lockUser, type UserSummary, usersById } from './users.ts';
export { analyseUsers, createUsers, exportUsers, type NewPerson, ownersOfIdentifiers } from './users-in-bulk.ts';

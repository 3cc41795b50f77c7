export { accountRoutes } from './account.me.ts';
export { finishAddressChange, startAddressChange } from './address-changes.ts';
export { addressRoutes } from './addresses.me.ts';
export { requestErasure } from './erasure.ts';
export { linkedIdentityRoutes } from './linked-identities.me.ts';
export { memberCredentialRoutes } from './member-credentials.admin.ts';
export { voidProofsWithCredentials } from './open-proofs.ts';
export { ownData } from './own-data.ts';
export { addOwnPasskey, changeOwnPasskey, passkeyCreation } from './own-passkeys.ts';
export { selfPart } from './part.ts';
export { onePasskeyRoutes, passkeyRoutes } from './passkeys.me.ts';
export { reauthenticationRoutes } from './reauthentication.auth.ts';
export { factorRoutes, oneSessionRoutes, ownSessionRoutes, securityRoutes, totpRoutes } from './security.me.ts';
export {
  changeOwnPassword,
  confirmOwnTotp,
  confirmPhoneFactor,
  forgetDevice,
  removeOwnFactor,
  renewRecoveryCodes,
  securityOf,
  startPhoneFactor,
} from './security.ts';
export { adminSessionRoutes } from './sessions.admin.ts';

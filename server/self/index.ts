export { finishAddressChange, startAddressChange } from './address-changes.ts';
export { requestErasure } from './erasure.ts';
export { voidProofsWithCredentials } from './open-proofs.ts';
export { ownData } from './own-data.ts';
export { addOwnPasskey, changeOwnPasskey, passkeyCreation } from './own-passkeys.ts';
export { selfPart } from './part.ts';
export { routes } from './routes.ts';
export {
  changeOwnPassword,
  confirmOwnTotp,
  confirmPhoneFactor,
  removeDevice,
  removeOwnFactor,
  renewRecoveryCodes,
  securityOf,
  startPhoneFactor,
} from './security.ts';
export { removeIdentity, removeOwnPasskey } from './sign-in-methods.ts';

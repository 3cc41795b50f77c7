export { finishAddressChange, startAddressChange } from './address-changes.ts';
export { requestErasure } from './erasure.ts';
export { ownData } from './own-data.ts';
export { addOwnPasskey, changeOwnPasskey, passkeyCreation } from './own-passkeys.ts';
export { part } from './part.ts';
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

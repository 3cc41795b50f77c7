export { askBreachedAhead } from './breached-passwords.ts';
export { dearHashes } from './dear-hashes.ts';
export { hashPassword, isOutdated, verifyPassword } from './hashing.ts';
export { part } from './part.ts';
export { isPasswordHash } from './password-hashes.ts';
export {
  checkPolicy,
  findPassword,
  holdPassword,
  minimumLength,
  Password,
  passwordHashOf,
  setPassword,
  setPasswords,
  upgradeHash,
} from './passwords.ts';

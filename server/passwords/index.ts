export { askBreachedAhead } from './breached-passwords.ts';
export { dearHashes } from './dear-hashes.ts';
export { hashPassword, isOutdated, verifyPassword } from './hashing.ts';
export { passwordsPart } from './part.ts';
export { isPasswordHash } from './password-hashes.ts';
export {
  analysePasswords,
  checkPolicy,
  findPassword,
  holdPassword,
  minimumLength,
  Password,
  passwordHashOf,
  removePasswordSince,
  setPassword,
  setPasswords,
  upgradeHash,
} from './passwords.ts';

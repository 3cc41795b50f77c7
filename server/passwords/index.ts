import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export { askBreachedAhead } from './breached-passwords.ts';
export { dearHashes } from './dear-hashes.ts';
export { hashPassword, isOutdated, verifyPassword } from './hashing.ts';
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

export const part = { removals: [rowsOfWorkspace('passwords')] } satisfies Part;

import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';

export { askBreachedAhead } from './breached-passwords.ts';
export { dearHashes } from './dear-hashes.ts';
export { hashPassword, isOutdated, verifyPassword } from './hashing.ts';
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

export const part = {
  removals: [rowsOfWorkspace('passwords')],
  reclaim: rowsSince('passwords', 'changed_at'),
  imported: ['passwords'],
} satisfies Part;

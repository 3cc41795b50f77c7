import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

export {
  newRecoveryCodes,
  recoveryCodesLeft,
  removeRecoveryCodes,
  removeRecoveryCodesSince,
  useRecoveryCode,
} from './recovery-codes.ts';

export const part = { removals: [rowsOfWorkspace('recovery_codes')] } satisfies Part;

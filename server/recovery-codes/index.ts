import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';

export {
  newRecoveryCodes,
  recoveryCodesLeft,
  removeRecoveryCodes,
  removeRecoveryCodesSince,
  useRecoveryCode,
} from './recovery-codes.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('recovery_codes')],
} satisfies Part;

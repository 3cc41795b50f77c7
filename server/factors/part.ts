import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { forgetDeadDevices } from './remembered-devices.ts';

export const factorsPart = {
  removals: [rowsOfWorkspace('mfa_factors'), rowsOfWorkspace('recovery_codes'), rowsOfWorkspace('remembered_devices')],
  cleanUps: { forgetDeadDevices },
} satisfies Part;

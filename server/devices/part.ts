import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { forgetDeadDevices } from './remembered-devices.ts';

export const devicesPart = {
  removals: [rowsOfWorkspace('remembered_devices')],
  cleanUps: { forgetDeadDevices },
} satisfies Part;

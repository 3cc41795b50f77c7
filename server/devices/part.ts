import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { removeDeadDevices } from './remembered-devices.ts';

export const devicesPart = {
  removals: [rowsOfWorkspace('remembered_devices')],
  cleanUps: { removeDeadDevices },
} satisfies Part;

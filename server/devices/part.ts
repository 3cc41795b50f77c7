import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';
import { removeDeadDevices } from './remembered-devices.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('remembered_devices')],
  cleanUps: { removeDeadDevices },
  reclaim: rowsSince('remembered_devices', 'created_at'),
} satisfies Part;

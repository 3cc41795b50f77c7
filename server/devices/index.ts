import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';
import { removeDeadDevices } from './remembered-devices.ts';

export {
  type DeviceId,
  isRemembered,
  listDevices,
  rememberDevice,
  removeDevices,
  removeDevicesSince,
  useRememberedDevice,
} from './remembered-devices.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('remembered_devices')],
  cleanUps: { removeDeadDevices },
} satisfies Part;

export { part } from './part.ts';
export {
  type DeviceId,
  isRemembered,
  listDevices,
  rememberDevice,
  removeDevices,
  useRememberedDevice,
} from './remembered-devices.ts';

export { devicesPart } from './part.ts';
export {
  type DeviceId,
  isRemembered,
  listDevices,
  rememberDevice,
  removeDevices,
  removeDevicesSince,
  useRememberedDevice,
} from './remembered-devices.ts';

export { devicesPart } from './part.ts';
export {
  type DeviceId,
  forgetDevices,
  forgetDevicesSince,
  isRemembered,
  listDevices,
  rememberDevice,
  useRememberedDevice,
} from './remembered-devices.ts';

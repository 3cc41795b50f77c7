export { accountThrottled, credentialChanged, deviceOf, newDevice, successAfterFailures } from './notices.ts';

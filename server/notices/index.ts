export {
  accountThrottled,
  applicationActs,
  credentialChanged,
  deviceOf,
  newDevice,
  successAfterFailures,
} from './notices.ts';

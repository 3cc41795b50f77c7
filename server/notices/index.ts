export {
  accountThrottled,
  applicationActs,
  credentialChanged,
  deviceOf,
  impersonated,
  newDevice,
  successAfterFailures,
} from './notices.ts';

export {
  accountThrottled,
  applicationActs,
  credentialChanged,
  deviceOf,
  impersonated,
  newDevice,
  successAfterFailures,
} from './notices.ts';
export { part } from './part.ts';

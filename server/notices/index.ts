import type { Part } from '#platform/part.ts';
import { events } from './events.ts';

export {
  accountThrottled,
  applicationActs,
  credentialChanged,
  deviceOf,
  impersonated,
  newDevice,
  successAfterFailures,
} from './notices.ts';

export const part = { events } satisfies Part;

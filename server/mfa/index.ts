import type { Part } from '#platform/part.ts';
import { events } from './events.ts';
import { mfaRoutes } from './mfa.auth.ts';

export {
  checkFactor,
  enrolTotpFor,
  factorFields,
  finishEnrolment,
  finishWithFactor,
  type MfaSession,
  newTotp,
  promptFactor,
  wayOf,
} from './mfa.ts';

export const part = {
  events,
  routes: {
    auth: mfaRoutes,
  },
} satisfies Part;

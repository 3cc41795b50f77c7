import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const User = Type.Object({ userId: text });
const Factor = Type.Object({ userId: text, factorId: text, type: text });
const factorId = 'fac_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'user.mfa.enabled': define('A second factor was set up.', Factor, { userId, factorId, type: 'totp' }),
  'user.mfa.disabled': define('A second factor was removed.', Factor, { userId, factorId, type: 'totp' }),
  'user.mfa.reset': define('An administrator removed all second factors of a person.', User, { userId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const User = Type.Object({ userId: text });

export const events = {
  'user.mfa.failed': define('A second factor was wrong.', User, { userId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

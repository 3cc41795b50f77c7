import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

export const events = {
  'user.mfa.challenged': define(
    'A second factor was requested.',
    Type.Object({ userId: text, enrolling: Type.Boolean() }),
    {
      userId,
      enrolling: false,
    },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

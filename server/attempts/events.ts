import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

export const events = {
  'security.account_unlocked': define(
    'An administrator reset the counted attempts at an account.',
    Type.Object({ userId: text }),
    { userId },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

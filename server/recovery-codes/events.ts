import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const User = Type.Object({ userId: text });

export const events = {
  'user.recovery_codes.created': define('Recovery codes were created; the previous ones became invalid.', User, {
    userId,
  }),
  'user.recovery_code.used': define('A recovery code was used.', User, { userId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const User = Type.Object({ userId: text });

export const events = {
  'user.device.remembered': define('A device may skip the second factor for a while.', User, { userId }),
  'user.device.forgotten': define('A remembered device must pass the second factor again.', User, { userId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

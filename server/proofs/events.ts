import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

export const events = {
  'user.verification.requested': define(
    'A code or link to verify an address was requested.',
    Type.Object({ channel: text, purpose: text }),
    { channel: 'email', purpose: 'register' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

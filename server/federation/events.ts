import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

export const events = {
  'identity.exchanged': define(
    'An application exchanged the code of a sign-in at an identity provider.',
    Type.Object({ provider: text }),
    {
      provider: 'google',
    },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const Passkey = Type.Object({ userId: text, passkeyId: text });
const passkeyId = 'psk_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'user.passkey.added': define('A passkey was added.', Passkey, { userId, passkeyId }),
  'user.passkey.changed': define('A passkey was renamed or its use as a second factor changed.', Passkey, {
    userId,
    passkeyId,
  }),
  'user.passkey.removed': define('A passkey was removed.', Passkey, { userId, passkeyId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

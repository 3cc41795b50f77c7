import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const User = Type.Object({ userId: text });

export const events = {
  'user.login_failed': define(
    'A sign-in was refused. `userId` is null when the identifier is unknown.',
    Type.Object({ userId: Type.Union([text, Type.Null()]), reason: text }),
    { userId, reason: 'invalid_credentials' },
  ),
  'user.moved_in': define(
    'A person signed in whose password another system knew, and who has it here from now on.',
    Type.Object({ userId: text, created: Type.Boolean() }),
    { userId, created: true },
  ),
  'user.logout': define('A person signed out.', Type.Object({ userId: text, everywhere: Type.Boolean() }), {
    userId,
    everywhere: false,
  }),
  'user.email.verified': define('A person verified an email address.', Type.Object({ userId: text, email: text }), {
    userId,
    email: 'ada@example.com',
  }),
  'user.reclaimed': define(
    'A person verified the address of an account that another person had created with it. Everything that was added before is removed: password, passkeys, second factors, linked identities, other addresses, sessions.',
    Type.Object({ userId: text }),
    { userId },
  ),
  'user.phone.verified': define('A person verified a phone number.', User, { userId }),
  'user.password.changed': define('A password was set or changed.', User, { userId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const User = Type.Object({ userId: text });

export const events = {
  'user.created': define(
    'A person registered or was added.',
    Type.Object({ userId: text, email: Type.Union([text, Type.Null()]) }),
    { userId, email: 'ada@example.com' },
  ),
  'user.updated': define(
    'The profile, the username, the email address or the phone number of a person changed. A more specific event reports the same change.',
    Type.Object({ userId: text, changed: Type.Array(text) }),
    { userId, changed: ['displayName'] },
  ),
  'user.erasure.scheduled': define(
    'The erasure of an account was scheduled. Signing in before `erasesAt` keeps the account.',
    Type.Object({ userId: text, erasesAt: text }),
    { userId, erasesAt: '2026-01-08T00:00:00.000Z' },
  ),
  'user.erasure.cancelled': define('A person signed in again, so the account is kept.', User, { userId }),
  'user.deleted': define('A person was erased. Earlier events no longer identify them.', User, { userId }),
  'user.email.changed': define(
    'The email address of a person changed to this one.',
    Type.Object({ userId: text, email: text }),
    { userId, email: 'ada@example.com' },
  ),
  'user.phone.changed': define(
    'The phone number of a person changed to this one.',
    Type.Object({ userId: text, phone: text }),
    { userId, phone: '+493012345678' },
  ),
  'profile.updated': define('Profile fields changed.', Type.Object({ userId: text, changed: Type.Array(text) }), {
    userId,
    changed: ['displayName'],
  }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

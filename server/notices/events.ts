import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const sessionId = 'ses_01kaz3w9hqf8p9n2m4v5x6y7z8';
const User = Type.Object({ userId: text });
const Session = Type.Object({ sessionId: text, userId: text });

export const events = {
  'security.new_device': define('A person signed in from a new device and was notified.', Session, {
    userId,
    sessionId,
  }),
  'security.account_throttled': define('Failed sign-ins to an account are slowed down; the user was notified.', User, {
    userId,
  }),
  'security.failed_attempts': define(
    'A sign-in succeeded after many failed attempts; the user was notified.',
    Type.Object({ userId: text, count: Type.Integer() }),
    { userId, count: 7 },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

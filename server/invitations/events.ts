import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const Invitation = Type.Object({ invitationId: text, email: text });
const invitationId = 'inv_01kaz3w9hqf8p9n2m4v5x6y7z8';

export const events = {
  'invitation.created': define('A person was invited to the project.', Invitation, {
    invitationId,
    email: 'ada@example.com',
  }),
  'invitation.resent': define('An invitation was resent; the previous link became invalid.', Invitation, {
    invitationId,
    email: 'ada@example.com',
  }),
  'invitation.revoked': define('An invitation was revoked.', Invitation, { invitationId, email: 'ada@example.com' }),
  'invitation.accepted': define(
    'An invitation was accepted.',
    Type.Object({ ...Invitation.properties, userId: text }),
    { invitationId, email: 'ada@example.com', userId },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';
import { nullable } from '#platform/schemas.ts';

const Invitation = Type.Object({ invitationId: text, email: text, organizationId: nullable(text) });
const Response = Type.Object({ ...Invitation.properties, userId: text });
const invitation = {
  invitationId: 'inv_01kaz3w9hqf8p9n2m4v5x6y7z8',
  email: 'ada@example.com',
  organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8',
};

export const events = {
  'invitation.created': define(
    'A person was invited to the project, or also to one of its organizations.',
    Invitation,
    invitation,
  ),
  'invitation.resent': define('An invitation was resent; the previous link became invalid.', Invitation, invitation),
  'invitation.revoked': define('An invitation was revoked.', Invitation, invitation),
  'invitation.accepted': define('An invitation was accepted.', Response, { ...invitation, userId }),
  'invitation.declined': define('The person who was invited declined.', Response, { ...invitation, userId }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

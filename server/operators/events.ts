import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const Invitation = Type.Object({ invitationId: text, email: text });
const TeamMember = Type.Object({ teamMemberId: text, userId: text, role: text });
const teamMember = { teamMemberId: 'tmb_01kaz3w9hqf8p9n2m4v5x6y7z8', userId, role: 'developer' };
const teamInvitation = { invitationId: 'tin_01kaz3w9hqf8p9n2m4v5x6y7z8', email: 'ada@example.com' };

export const events = {
  'team.member.added': define('An operator joined the team of a workspace.', TeamMember, teamMember),
  'team.member.changed': define('The role of an operator in the team of a workspace changed.', TeamMember, teamMember),
  'team.member.removed': define('An operator left the team of a workspace.', TeamMember, teamMember),
  'team.invitation.created': define('A person was invited to the team of a workspace.', Invitation, teamInvitation),
  'team.invitation.resent': define(
    'An invitation to the team was resent; the previous link became invalid.',
    Invitation,
    teamInvitation,
  ),
  'team.invitation.revoked': define('An invitation to the team was revoked.', Invitation, teamInvitation),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

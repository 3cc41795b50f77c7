export { InvitationStatus, Invitations, statusOf as invitationStatus } from './invitations.ts';
export { part } from './part.ts';
export {
  acceptInvitation,
  findInvitation,
  invitationsTo,
  projectOfInvitation,
  removeInvitations,
  revokeUnbacked,
} from './project-invitations.ts';

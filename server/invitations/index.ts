export { InvitationStatus, Invitations, statusOf as invitationStatus } from './invitations.ts';
export {
  countInvitation,
  findInvitationTo,
  insideOnly,
  invitingAs,
} from './organization-invitations.ts';
export {
  acceptOwnInvitation,
  declineOwnInvitation,
  listOwnInvitations,
} from './own-invitations.ts';
export { part } from './part.ts';
export {
  acceptInvitation,
  findInvitation,
  invitationsTo,
  invite,
  listInvitations,
  projectOfInvitation,
  removeInvitations,
  resendInvitation,
  revokeInvitation,
  revokeInvitationsOf,
  revokeUnbacked,
} from './project-invitations.ts';

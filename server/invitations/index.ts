export { invitationRoutes } from './invitations.admin.ts';
export {
  acceptInvitation,
  findInvitation,
  forgetInvitations,
  invitationsTo,
  projectOfInvitation,
  withdrawUnbacked,
} from './invitations.ts';
export { invitationsPart } from './part.ts';

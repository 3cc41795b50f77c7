import { removeMember } from './leaving.ts';
import { blockMember, unblockMember } from './member-actions.ts';
import { addManagedMember, updateMember } from './member-provisioning.ts';

/** The changes that a directory makes to the members whose accounts it manages. */
export const managedMembers = {
  add: addManagedMember,
  update: updateMember,
  block: blockMember,
  unblock: unblockMember,
  remove: removeMember,
};

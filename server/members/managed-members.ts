import type { TxCtx } from '#platform/ctx.ts';
import type { MemberId } from '#platform/ids.ts';
import { removeMember } from './leaving.ts';
import { blockMember, unblockMember } from './member-actions.ts';
import { addManagedMember, updateMember } from './member-provisioning.ts';
import { lockMember, lockMembers } from './members.ts';

/** The changes that a directory makes to members whose accounts it manages. */
export const managedMembers = {
  add: addManagedMember,
  lock: lockMember,
  lockAll: lockMembers,
  update: updateMember,
  block: (tx: TxCtx, memberId: MemberId) => blockMember(tx, memberId, 'directory'),
  unblock: (tx: TxCtx, memberId: MemberId) => unblockMember(tx, memberId, 'directory'),
  remove: removeMember,
};

import type { Task } from 'graphile-worker';
import { Compile } from 'typebox/compile';
import { eraseFromAudit } from '#audit';
import { voidOpenProofs } from '#credential-changes';
import { addressesInEvents, anonymiseEvents, emitAll } from '#events';
import { listFactors } from '#factors';
import { addressesOf, ownersOfIdentifiers } from '#identifiers';
import { removeInvitations } from '#invitations';
import { membershipsOf } from '#members';
import { removeMessages } from '#messages';
import { ErasureWork, eraseIfDue } from '#people';
import { NO_PROJECT, type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { UserId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { removeAddressChallengesOf } from '#proofs';
import { eraseProvisioning } from '#scim';
import { revokeSessions } from '#sessions';
import { projectNames } from '#tenancy';

const work = Compile(ErasureWork);

/** Erases a user whose erasure is due, in one transaction; skips one whose erasure was cancelled. */
export function eraseUserTask(system: System): Task {
  return async (payload, { job }) => {
    const { userId, ...asked } = work.Parse(payload);
    const found = await projectNames({ db: system.db, scope: asked }, [asked.projectId]);
    const scope: Scope = found.size > 0 ? asked : { ...asked, projectId: NO_PROJECT };
    await transaction(systemCtx(system, scope, 'erasure', `erasure-${job.id}`), (tx) =>
      eraseIfDue(tx, userId, {
        isInProject: async () => (await membershipsOf.list(tx, userId, { limit: 1 })).items.length > 0,
        erase: () => eraseElsewhere(tx, userId),
      }),
    );
  };
}

/**
 * Removes the personal data of a user outside their account. Events stay in the log without the user's addresses;
 * unexpired tokens no longer give access.
 */
async function eraseElsewhere(tx: TxCtx, userId: UserId): Promise<void> {
  const addresses = await everyAddressOf(tx, userId);
  const memberships = await membershipsOf.list(tx, userId, { limit: MAX_PROJECTS });
  await voidOpenProofs(tx, userId);
  await revokeSessions(tx, userId, 'all', 'erasure');
  await removeAddressChallengesOf(tx, userId, addresses);
  await removeMessages(tx, addresses);
  await removeInvitations(tx, addresses);
  await anonymiseEvents(tx, userId, addresses);
  await eraseFromAudit(tx, userId, addresses);
  await eraseProvisioning(tx, userId, addresses);
  await announce(tx, { topic: 'user', key: userId });
  const projects = memberships.items.length > 0 ? memberships.items : [tx.scope];
  await emitAll(tx, [
    ...memberships.items.map(({ id, projectId }) => ({
      type: 'membership.deleted' as const,
      data: { memberId: id, userId },
      projectId,
    })),
    ...projects.map(({ projectId }) => ({ type: 'user.deleted' as const, data: { userId }, projectId })),
  ]);
}

const MAX_PROJECTS = 10_000;

/**
 * Every address at which the user was ever reached, except those that now belong to another user, whose data must stay.
 */
async function everyAddressOf(tx: TxCtx, userId: UserId): Promise<string[]> {
  const own = (await addressesOf(tx, userId)).map(({ value }) => value);
  const phones = (await listFactors(tx, userId)).flatMap(({ phone }) => phone ?? []);
  const known = [...new Set([...own, ...phones, ...(await addressesInEvents(tx, userId))])];
  const owners = await ownersOfIdentifiers(
    tx,
    known.flatMap((value) => [
      { kind: 'email', value },
      { kind: 'phone', value },
    ]),
  );
  const isOfAnother = (owner: UserId | undefined) => owner !== undefined && owner !== userId;
  return known.filter(
    (value) => !isOfAnother(owners.get(`email ${value}`)) && !isOfAnother(owners.get(`phone ${value}`)),
  );
}

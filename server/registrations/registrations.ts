import type { EventCount } from '#events';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import { type ProjectId, timeOfId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { deleteOldRows } from '#platform/part.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';

type BegunRegistrationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  /** A keyed digest: the table names nobody. */
  address_hash: Buffer;
  begun_at: Date;
  /** Set when the account is created. */
  user_id: UserId | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    begun_registrations: BegunRegistrationsTable;
  }
}

/** How long a registration that was begun waits to be finished, and counts as the same when it is begun again. */
const WAITS_MS = 30 * 86_400_000;

function hashOf({ system, scope }: Pick<TxCtx, 'system' | 'scope'>, address: string): Buffer {
  return system.keyring.tag(`${scope.workspaceId} ${address}`, 'begun-registration');
}

/** A registration is counted on the day on which it began, whichever step it reached later. */
function step(key: 'started' | 'proven' | 'finished', begunAt: Date): EventCount {
  return { figure: 'registration_steps', key, day: begunAt.toISOString().slice(0, 10) };
}

/** Notes that a person begins to register with an address. It is counted once, however often they ask for a code. */
export async function beginRegistration(tx: TxCtx, address: string): Promise<EventCount[]> {
  const begun = await tx.db
    .insertInto('begun_registrations')
    .values({ ...scopeColumns(tx), address_hash: hashOf(tx, address), begun_at: tx.now, user_id: null })
    .onConflict((known) =>
      known
        .columns(['workspace_id', 'project_id', 'environment', 'address_hash'])
        .doUpdateSet({ begun_at: tx.now, user_id: null })
        .where('begun_registrations.begun_at', '<', new Date(tx.now.getTime() - WAITS_MS)),
    )
    .returning('begun_at')
    .executeTakeFirst();
  return begun ? [step('started', begun.begun_at)] : [];
}

/** What the proof of the address is counted as. Served by the primary key. */
export async function provenRegistration(tx: TxCtx, address: string): Promise<EventCount[]> {
  const begun = await tx.db
    .selectFrom('begun_registrations')
    .select('begun_at')
    .where(inScope(tx))
    .where('address_hash', '=', hashOf(tx, address))
    .executeTakeFirst();
  return begun ? [step('proven', begun.begun_at)] : [];
}

/** Remembers whose account a registration created, until their first sign-in finishes it. */
export async function createdByRegistration(tx: TxCtx, address: string, userId: UserId): Promise<void> {
  await tx.db
    .updateTable('begun_registrations')
    .set({ user_id: userId })
    .where(inScope(tx))
    .where('address_hash', '=', hashOf(tx, address))
    .execute();
}

/**
 * Finishes the registration of a person who signs in for the first time; for an older account nothing is asked. Served by
 * begun_registrations_of_user.
 * @returns what the sign-in is counted as
 */
export async function finishedRegistration(tx: TxCtx, userId: UserId): Promise<EventCount[]> {
  const created = timeOfId(userId);
  if (!created || tx.now.getTime() - created.getTime() > WAITS_MS) return [];
  const begun = await tx.db
    .deleteFrom('begun_registrations')
    .where(inScope(tx))
    .where('user_id', '=', userId)
    .returning('begun_at')
    .executeTakeFirst();
  return begun ? [step('finished', begun.begun_at)] : [];
}

/** Forgets the registrations of a person who is erased. */
export async function removeRegistrationsOf(tx: TxCtx, userId: UserId, addresses: readonly string[]): Promise<void> {
  const hashes = addresses.map((address) => hashOf(tx, address));
  await tx.db
    .deleteFrom('begun_registrations')
    .where(acrossProjects(tx))
    .where((eb) =>
      eb.or([eb('user_id', '=', userId), ...hashes.map((address_hash) => eb('address_hash', '=', address_hash))]),
    )
    .execute();
}

/** Forgets registrations that were not finished in time. */
export function removeOldRegistrations(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - WAITS_MS);
  return deleteOldRows(system, 'begun_registrations', { column: 'begun_at', before });
}

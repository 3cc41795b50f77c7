import { sql } from 'kysely';
import { revokeTokens, versionedEntry } from '#access-tokens';
import { emitAll } from '#events';
import type { TxCtx } from '#platform/ctx.ts';
import type { OrganizationSessions } from '#platform/part.ts';
import { inScope } from '#platform/scoped.ts';

/**
 * Ends what sessions have in an organization of `tx.scope`'s project, or renews it: then access tokens stop, and the
 * next use of a refresh token is decided again. The sessions stay in the project. Served by
 * scope_entries_of_organization.
 */
export async function changeOrganizationSessions(tx: TxCtx, change: OrganizationSessions): Promise<void> {
  await (change.action === 'end' ? endEntries(tx, change) : renewEntries(tx, change));
  for (const { sessions } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await sessions?.inOrganization?.(tx, change);
  }
}

function liveEntries(tx: TxCtx, { organizationId, userId }: OrganizationSessions) {
  const update = tx.db
    .updateTable('scope_entries')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null);
  return userId === undefined ? update : update.where('user_id', '=', userId);
}

async function endEntries(tx: TxCtx, change: OrganizationSessions): Promise<void> {
  const { organizationId, reason } = change;
  const ended = await liveEntries(tx, change)
    .set({ revoked_at: tx.now, revoke_reason: reason })
    .returning(['id as entryId', 'session_id as sessionId', 'user_id as userId'])
    .execute();
  await revokeTokens(
    tx,
    ended.map(({ entryId }) => entryId),
  );
  await emitAll(
    tx,
    ended.map((entry) => ({ type: 'session.entry.revoked', data: { ...entry, organizationId, reason } })),
  );
}

async function renewEntries(tx: TxCtx, change: OrganizationSessions): Promise<void> {
  const renewed = await liveEntries(tx, change)
    .set({ version: sql`version + 1` })
    .returning(['id', sql<number>`version - 1`.as('before')])
    .execute();
  await revokeTokens(
    tx,
    renewed.map(({ id, before }) => versionedEntry(id, before)),
  );
}

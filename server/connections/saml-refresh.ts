import { sql } from 'kysely';
import { emit } from '#events';
import { systemCtx, transaction } from '#platform/ctx.ts';
import { eachAlone } from '#platform/repeating.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import type { IdentityProvider } from '#saml';
import { isOpen } from '#tenancy';
import { naming } from './connection-changes.ts';
import { type ConnectionRow, rowsOf } from './connections.ts';
import { fetchIdentityProvider, readAt, type SamlConfiguration, samlConfiguration } from './saml.ts';

const HOUR_MS = 3_600_000;
const PORTION = 100;

/**
 * Reads the metadata of identity providers again, daily, or an hour after a failure: so a company replaces its
 * certificate without anybody here. Served by organization_connections_due.
 */
export async function refreshSamlMetadata(system: System): Promise<void> {
  const { rows } = await sql<ConnectionRow>`
    select * from organization_connections c
    where kind = 'saml' and ${isOpen('c')} and configuration->>'metadataUrl' is not null
      and configuration->>'metadataDueAt' <= ${system.clock.now().toISOString()}
    order by configuration->>'metadataDueAt' limit ${PORTION} /* all workspaces */`.execute(system.db);
  await eachAlone(system, rows, (row) => refresh(system, row));
}

async function refresh(system: System, row: ConnectionRow): Promise<void> {
  const scope = { workspaceId: row.workspace_id, projectId: row.project_id, environment: row.environment };
  const url = samlConfiguration(row.configuration).metadataUrl;
  if (url === null) return;
  const read = await fetchIdentityProvider(system, url).catch((fault: unknown) =>
    fault instanceof Error ? fault.message : 'The metadata can not be read.',
  );
  const ctx = systemCtx(system, scope, 'connections', row.id);
  await transaction(ctx, async (tx) => {
    const current = await rowsOf(tx, row.organization_id).where('id', '=', row.id).forUpdate().executeTakeFirst();
    const before = current && samlConfiguration(current.configuration);
    // Removed or changed in the meantime.
    if (!before || before.metadataUrl !== url) return;
    const after = refreshed(before, read, tx.now);
    await tx.db
      .updateTable('organization_connections')
      .set({ configuration: JSON.stringify(after) })
      .where(inScope(tx))
      .where('organization_id', '=', row.organization_id)
      .where('id', '=', row.id)
      .execute();
    if (JSON.stringify(after.identityProvider) !== JSON.stringify(before.identityProvider))
      await emit(tx, 'organization.connection.updated', { ...naming(current), fields: ['saml'] });
  });
}

function refreshed(before: SamlConfiguration, read: IdentityProvider | string, now: Date): SamlConfiguration {
  // Another identity provider would vouch for accounts that are linked to this one.
  const fault =
    typeof read !== 'string' && read.entityId !== before.identityProvider.entityId
      ? `The address now describes ${read.entityId}, another identity provider.`
      : read;
  if (typeof fault === 'string') {
    const metadataDueAt = new Date(now.getTime() + HOUR_MS).toISOString();
    return { ...before, metadataFault: fault.slice(0, 300), metadataDueAt };
  }
  return { ...before, ...readAt(now), identityProvider: fault };
}

import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { emit } from '#events';
import { systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { eachAlone } from '#platform/repeating.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { isOpen } from '#tenancy';
import type { ApplicationsTable } from './applications.ts';
import { anotherProvider, faultsOf, followed, type StoredSaml } from './saml.ts';
import { type Described, failedReading, fetchServiceProvider, readingOf } from './saml-metadata.ts';

const PORTION = 100;

type Due = Pick<ApplicationsTable, 'workspace_id' | 'project_id' | 'environment' | 'id'> & { url: string };

/**
 * Reads the metadata of service providers again, daily, or an hour after a failure: so a service provider replaces its
 * certificate without anybody here. Served by applications_metadata_due.
 */
export async function refreshServiceProviders(system: System): Promise<void> {
  const { rows } = await sql<Due>`
    select workspace_id, project_id, environment, id, saml->>'metadataUrl' as url from applications a
    where saml->>'metadataUrl' is not null and ${isOpen('a')}
      and coalesce(saml->'reading'->>'dueAt', '') <= ${system.clock.now().toISOString()}
    order by coalesce(saml->'reading'->>'dueAt', '') limit ${PORTION} /* all workspaces */`.execute(system.db);
  await eachAlone(system, rows, (row) => refresh(system, row));
}

async function refresh(system: System, row: Due): Promise<void> {
  const scope = { workspaceId: row.workspace_id, projectId: row.project_id, environment: row.environment };
  const read = await fetchServiceProvider(system, row.url).then(
    (provider): Described => ({ provider, url: row.url }),
    (fault: unknown) => (fault instanceof Error ? fault.message : 'The metadata cannot be read.'),
  );
  const ctx = systemCtx(system, scope, 'applications', row.id);
  await transaction(ctx, async (tx) => {
    const current = await tx.db
      .selectFrom('applications')
      .select(['client_id', 'saml'])
      .where(inScope(tx))
      .where('id', '=', row.id)
      .forUpdate()
      .executeTakeFirst();
    const before = current?.saml;
    // Removed or changed in the meantime.
    if (!before || before.metadataUrl !== row.url) return;
    const after = refreshed(before, read, tx);
    const saml = JSON.stringify(after);
    await tx.db.updateTable('applications').set({ saml }).where(inScope(tx)).where('id', '=', row.id).execute();
    if (saysTheSame(before, after)) return;
    await announce(tx, { topic: 'application', key: current.client_id });
    await emit(tx, 'application.updated', { applicationId: row.id, fields: ['saml'] });
  });
}

function refreshed(
  before: StoredSaml,
  read: Described | string,
  { scope, now }: Pick<TxCtx, 'scope' | 'now'>,
): StoredSaml {
  if (typeof read === 'string') return { ...before, reading: failedReading(before.reading, read, now) };
  const after = { ...followed(before, read.provider), reading: readingOf(read, now) };
  const faults = faultsOf(scope.environment, after).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  const fault = anotherProvider(before, read.provider) ?? faults.join('; ');
  if (fault === '') return after;
  return { ...before, reading: failedReading(before.reading, fault, now) };
}

function saysTheSame(before: StoredSaml, after: StoredSaml): boolean {
  return isDeepStrictEqual(
    JSON.parse(JSON.stringify({ ...before, reading: null })),
    JSON.parse(JSON.stringify({ ...after, reading: null })),
  );
}

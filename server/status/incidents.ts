import type { Static } from 'typebox';
import { emit } from '#events';
import { newId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { affectedSince, readStatuses, type StatusById } from './affected.ts';
import { changeBoard } from './boards.ts';
import type { ComponentStatuses } from './combined-status.ts';
import { readComponents, requireComponents } from './components.ts';
import { measuredStatuses } from './health.ts';
import {
  type AdminIncident,
  type IncidentChanges,
  type IncidentId,
  type IncidentRow,
  incidentRecord,
  type NewIncident,
  type NewIncidentUpdate,
  storedIncident,
} from './incident-records.ts';
import { settleOverall } from './overall.ts';
import { inPage, ofPage, type PageCtx, type PageDb, type PageTx } from './pages.ts';
import { addUpdateRow, type IncidentPhase, queueNotice, setNewestAffected, updatesOf } from './updates.ts';
import { voiceIn } from './words.ts';

/** The allowed changes of phase. A resolved incident is reopened as `investigating`. */
const NEXT: Record<IncidentPhase, readonly IncidentPhase[]> = {
  investigating: ['investigating', 'identified', 'monitoring', 'resolved'],
  identified: ['identified', 'investigating', 'monitoring', 'resolved'],
  monitoring: ['monitoring', 'investigating', 'identified', 'resolved'],
  resolved: ['investigating', 'identified'],
};

/** @throws Problem CONFLICT */
function requireFollows(from: IncidentPhase, to: IncidentPhase): void {
  if (!NEXT[from].includes(to))
    throw problem('CONFLICT', `An incident can go from ${from} to ${NEXT[from].join(' or ')}, not to ${to}.`);
}

async function adminRecords(ctx: PageCtx | PageTx, rows: readonly IncidentRow[]): Promise<AdminIncident[]> {
  const updates = await updatesOf(
    ctx,
    rows.map(({ id }) => id),
  );
  const nameOf = await componentNames(ctx);
  return rows.map((row) => ({
    ...incidentRecord(storedIncident(row, updates.get(row.id) ?? []), voiceIn('en'), nameOf),
    draft: row.published_at === null,
    automatic: row.automatic,
    componentStatuses: row.component_statuses,
    createdAt: row.created_at.toISOString(),
  }));
}

async function adminRecord(tx: PageCtx | PageTx, row: IncidentRow): Promise<AdminIncident> {
  const [record] = await adminRecords(tx, [row]);
  if (!record) throw problem('NOT_FOUND');
  return record;
}

/** The names of an environment's components, in the API's language. */
async function componentNames(ctx: PageDb): Promise<(id: string) => string> {
  const rows = await readComponents(ctx);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? voiceIn('en').nameOf(id);
}

/** Incidents including drafts, newest first. Served by the primary key. */
export async function listIncidents(
  ctx: PageCtx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<AdminIncident>> {
  const query = ctx.db.selectFrom('status_incidents').selectAll().where(inPage(ctx.page));
  const page = await newestFirst(ctx, query, { list: 'status-incidents', limit, cursor });
  return { items: await adminRecords(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getIncident(ctx: PageCtx, id: IncidentId): Promise<AdminIncident> {
  return adminRecord(ctx, await findIncident(ctx, id));
}

async function findIncident(ctx: PageDb, id: IncidentId): Promise<IncidentRow> {
  const row = await ctx.db
    .selectFrom('status_incidents')
    .selectAll()
    .where(inPage(ctx.page))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

/**
 * Opens an incident.
 * @throws Problem VALIDATION_FAILED for an unknown component
 */
export async function createIncident(ctx: PageCtx, incident: Static<typeof NewIncident>): Promise<AdminIncident> {
  const statuses = incident.componentStatuses ?? {};
  const componentIds = [...new Set([...(incident.componentIds ?? []), ...Object.keys(statuses)])];
  return changeBoard(ctx, async (tx) => {
    await requireComponents(tx, componentIds);
    const before = await readStatuses(tx);
    const row = await insertIncident(tx, {
      title: incident.title,
      phase: incident.phase ?? 'investigating',
      severity: incident.severity,
      component_ids: componentIds,
      component_statuses: statuses,
      automatic: false,
      published_at: incident.draft ? null : tx.now,
      started_at: incident.startedAt === undefined ? tx.now : instantOf(incident.startedAt),
    });
    await tellIncident(tx, row, { body: incident.body, changed: true, before });
    return adminRecord(tx, row);
  });
}

type NewRow = Pick<
  IncidentRow,
  'title' | 'phase' | 'severity' | 'component_ids' | 'component_statuses' | 'automatic' | 'published_at' | 'started_at'
>;

/** Inserts an incident, inside a change of the board. */
export async function insertIncident(tx: PageTx, incident: NewRow): Promise<IncidentRow> {
  const row: IncidentRow = {
    ...ofPage(tx.page),
    id: newId('inc', tx.now),
    ...incident,
    phase_since: tx.now,
    resolved_at: incident.phase === 'resolved' ? tx.now : null,
    postmortem: null,
    created_at: tx.now,
    updated_at: tx.now,
  };
  await tx.db
    .insertInto('status_incidents')
    .values({ ...row, component_statuses: JSON.stringify(row.component_statuses) })
    .execute();
  await emit(tx, 'status.incident.created', {
    incidentId: row.id,
    title: row.title,
    phase: row.phase,
    severity: row.severity,
    componentIds: row.component_ids,
    automatic: row.automatic,
    draft: row.published_at === null,
  });
  return row;
}

/**
 * Writes an update, notifies subscribers if the phase is new (ST-3: an update in the same phase is not announced), and
 * settles the overall status. Drafts are never announced.
 * @param told.before the shown statuses before the incident was changed
 */
export async function tellIncident(
  tx: PageTx,
  row: IncidentRow,
  { body, changed, before }: { body: string; changed: boolean; before: StatusById },
): Promise<void> {
  const affected = await affectedSince(tx, before, row.component_ids);
  await addUpdateRow(tx, row.id, { phase: row.phase, body, at: tx.now, affected });
  if (changed && row.published_at !== null) await noticeOf(tx, row, body);
  await settleOverall(tx);
}

async function noticeOf(tx: PageTx, row: IncidentRow, body: string): Promise<void> {
  await queueNotice(tx, row.id, {
    componentIds: row.component_ids,
    content: {
      kind: 'incident',
      title: row.title,
      phase: row.phase,
      body,
      severity: row.severity,
      at: tx.now.toISOString(),
    },
  });
}

/** Changes an incident and writes the event; `automatic: false` when a person made the change. */
export async function changeIncident(
  tx: PageTx,
  row: IncidentRow,
  changes: Partial<Omit<IncidentRow, 'component_statuses'>> & {
    component_statuses?: IncidentRow['component_statuses'];
  },
): Promise<IncidentRow> {
  const { component_statuses: statuses, ...plain } = changes;
  const changed = await tx.db
    .updateTable('status_incidents')
    .set({
      ...plain,
      ...(statuses !== undefined && { component_statuses: JSON.stringify(statuses) }),
      updated_at: tx.now,
    })
    .where(inPage(tx.page))
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await emit(
    tx,
    changed.phase === 'resolved' && row.phase !== 'resolved' ? 'status.incident.resolved' : 'status.incident.updated',
    {
      incidentId: row.id,
      title: changed.title,
      phase: changed.phase,
      severity: changed.severity,
      componentIds: changed.component_ids,
    },
  );
  return changed;
}

/** The columns that depend on the phase. */
export function phaseColumns(row: IncidentRow, phase: IncidentPhase, now: Date): Partial<IncidentRow> {
  if (phase === row.phase) return {};
  return { phase, phase_since: now, resolved_at: phase === 'resolved' ? now : null };
}

/**
 * The statuses that an incident gives to components after an update. A component that had one and is now left out gets
 * its measured status; a component that never had one keeps the status of the incident's severity.
 */
function saidNow(before: ComponentStatuses, now: ComponentStatuses): ComponentStatuses {
  const takenBack = Object.fromEntries(Object.keys(before).map((id) => [id, measuredStatuses[0]]));
  return { ...takenBack, ...now };
}

/**
 * Adds an update and moves the incident to its phase.
 * @throws Problem NOT_FOUND, CONFLICT, VALIDATION_FAILED
 */
export async function addIncidentUpdate(
  ctx: PageCtx,
  id: IncidentId,
  { phase, body, componentStatuses }: Static<typeof NewIncidentUpdate>,
): Promise<AdminIncident> {
  return changeBoard(ctx, async (tx) => {
    const row = await findIncident(tx, id);
    requireFollows(row.phase, phase);
    await requireComponents(tx, Object.keys(componentStatuses ?? {}));
    const before = await readStatuses(tx);
    const changed = await changeIncident(tx, row, {
      ...phaseColumns(row, phase, tx.now),
      automatic: false,
      ...(componentStatuses && {
        component_statuses: saidNow(row.component_statuses, componentStatuses),
        component_ids: [...new Set([...row.component_ids, ...Object.keys(componentStatuses)])],
      }),
    });
    await tellIncident(tx, changed, { body, changed: phase !== row.phase, before });
    return adminRecord(tx, changed);
  });
}

/**
 * Changes an incident without notifying subscribers.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
export async function updateIncident(
  ctx: PageCtx,
  id: IncidentId,
  { componentIds, ...plain }: Static<typeof IncidentChanges>,
): Promise<AdminIncident> {
  return changeBoard(ctx, async (tx) => {
    const row = await findIncident(tx, id);
    await requireComponents(tx, componentIds ?? []);
    const changed = await changeIncident(tx, row, {
      ...plain,
      ...(componentIds && { component_ids: [...componentIds] }),
    });
    await settleOverall(tx);
    return adminRecord(tx, changed);
  });
}

/**
 * Publishes a draft and notifies subscribers.
 * @throws Problem NOT_FOUND, CONFLICT when it is already public
 */
export async function publishIncident(ctx: PageCtx, id: IncidentId): Promise<AdminIncident> {
  return changeBoard(ctx, async (tx) => {
    const row = await findIncident(tx, id);
    if (row.published_at !== null) throw problem('CONFLICT', 'The incident is already public.');
    const before = await readStatuses(tx);
    const changed = await changeIncident(tx, row, { published_at: tx.now });
    await setNewestAffected(tx, id, await affectedSince(tx, before, row.component_ids));
    const [newest] = (await updatesOf(tx, [id])).get(id) ?? [];
    await noticeOf(tx, changed, newest?.body ?? '');
    await settleOverall(tx);
    return adminRecord(tx, changed);
  });
}

/**
 * Deletes a draft. Published incidents can't be deleted.
 * @throws Problem NOT_FOUND, CONFLICT
 */
export async function deleteIncident(ctx: PageCtx, id: IncidentId): Promise<void> {
  await changeBoard(ctx, async (tx) => {
    const row = await findIncident(tx, id);
    if (row.published_at !== null)
      throw problem('CONFLICT', 'A public incident cannot be deleted: resolve it instead.');
    await tx.db.deleteFrom('status_updates').where(inPage(tx.page)).where('subject_id', '=', id).execute();
    await tx.db.deleteFrom('status_incidents').where(inPage(tx.page)).where('id', '=', id).execute();
    await emit(tx, 'status.incident.deleted', { incidentId: id });
  });
}

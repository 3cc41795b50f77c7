import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { IdSchema, newId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { affectedSince, readStatuses, type StatusById } from './affected.ts';
import { changeBoard } from './boards.ts';
import { ComponentIds, requireComponents } from './components.ts';
import { Body, Title } from './incident-records.ts';
import {
  type Maintenance,
  type MaintenanceId,
  type MaintenanceRow,
  maintenanceRecord,
  Phase,
  storedMaintenance,
} from './maintenance-records.ts';
import { settleOverall } from './overall.ts';
import { inPage, ofPage, type PageCtx, type PageDb, type PageTx } from './pages.ts';
import {
  addUpdateRow,
  type MaintenancePhase,
  type NoticePhase,
  queueNotice,
  type Update,
  updatesOf,
} from './updates.ts';
import { voiceIn } from './words.ts';

export const NewMaintenance = Type.Object(
  {
    title: Title,
    body: Body,
    componentIds: ComponentIds,
    beginsAt: Instant,
    endsAt: Instant,
    remindMinutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        description: 'How many minutes before the start subscribers are reminded; 0 for never, 60 when absent.',
      }),
    ),
  },
  { additionalProperties: false },
);
export const MaintenanceChanges = Type.Object(
  { title: Type.Optional(Title), beginsAt: Type.Optional(Instant), endsAt: Type.Optional(Instant) },
  { additionalProperties: false, minProperties: 1 },
);
export const NewMaintenanceUpdate = Type.Object({ phase: Phase, body: Body }, { additionalProperties: false });
export const MaintenanceRef = Type.Object({ id: IdSchema('mnt') });

/** The allowed changes of phase. */
const NEXT: Record<MaintenancePhase, readonly MaintenancePhase[]> = {
  scheduled: ['scheduled', 'in_progress', 'completed'],
  in_progress: ['in_progress', 'verifying', 'completed'],
  verifying: ['verifying', 'in_progress', 'completed'],
  completed: [],
};
const MINUTE_MS = 60_000;
const REMIND_MINUTES = 60;

async function find(ctx: PageDb, id: MaintenanceId): Promise<MaintenanceRow> {
  const row = await ctx.db
    .selectFrom('status_maintenances')
    .selectAll()
    .where(inPage(ctx.page))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

function recordIn(row: MaintenanceRow, updates: readonly Update[]): Maintenance {
  return maintenanceRecord(storedMaintenance(row, updates), voiceIn('en'));
}

async function recordOf(ctx: PageCtx | PageTx, row: MaintenanceRow): Promise<Maintenance> {
  const updates = await updatesOf(ctx, [row.id]);
  return recordIn(row, updates.get(row.id) ?? []);
}

/** Maintenances, newest first. Served by the primary key. */
export async function listMaintenances(
  ctx: PageCtx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Maintenance>> {
  const query = ctx.db.selectFrom('status_maintenances').selectAll().where(inPage(ctx.page));
  const page = await newestFirst(ctx, query, { list: 'status-maintenances', limit, cursor });
  const updates = await updatesOf(
    ctx,
    page.rows.map(({ id }) => id),
  );
  return { items: page.rows.map((row) => recordIn(row, updates.get(row.id) ?? [])), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getMaintenance(ctx: PageCtx, id: MaintenanceId): Promise<Maintenance> {
  return recordOf(ctx, await find(ctx, id));
}

/**
 * Plans a maintenance. It starts and ends automatically.
 * @throws Problem VALIDATION_FAILED
 */
export async function createMaintenance(
  ctx: PageCtx,
  maintenance: Static<typeof NewMaintenance>,
): Promise<Maintenance> {
  const [begins, ends] = [instantOf(maintenance.beginsAt), instantOf(maintenance.endsAt)];
  requireOrder(begins, ends);
  return changeBoard(ctx, async (tx) => {
    await requireComponents(tx, maintenance.componentIds);
    const before = await readStatuses(tx);
    const row: MaintenanceRow = {
      ...ofPage(tx.page),
      id: newId('mnt', tx.now),
      title: maintenance.title,
      phase: 'scheduled',
      component_ids: [...maintenance.componentIds],
      begins_at: begins,
      ends_at: ends,
      remind_at: reminder(begins, maintenance.remindMinutes ?? REMIND_MINUTES, tx.now),
      began_at: null,
      completed_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    await tx.db.insertInto('status_maintenances').values(row).execute();
    await emit(tx, 'status.maintenance.scheduled', {
      ...factsOf(row),
      beginsAt: begins.toISOString(),
      endsAt: ends.toISOString(),
    });
    await tell(tx, row, { body: maintenance.body, before });
    return recordOf(tx, row);
  });
}

/** When to send the reminder; null when there is none, or it is too late. */
function reminder(begins: Date, minutes: number, now: Date): Date | null {
  const at = new Date(begins.getTime() - minutes * MINUTE_MS);
  return minutes > 0 && at > now ? at : null;
}

function requireOrder(begins: Date, ends: Date): void {
  if (ends <= begins)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/endsAt', message: 'must be later than beginsAt' }] },
    });
}

function factsOf({ id, title, phase, component_ids }: MaintenanceRow) {
  return { maintenanceId: id, title, phase, componentIds: component_ids };
}

type Told = { body: string; before: StatusById };

async function tell(tx: PageTx, row: MaintenanceRow, { body, before }: Told): Promise<void> {
  await writeUpdate(tx, row, { body, before });
  await notice(tx, row, { phase: row.phase, body });
  await settleOverall(tx);
}

async function writeUpdate(tx: PageTx, row: MaintenanceRow, { body, before }: Told): Promise<void> {
  const affected = await affectedSince(tx, before, row.component_ids);
  await addUpdateRow(tx, row.id, { phase: row.phase, body, at: tx.now, affected });
}

async function notice(
  tx: PageTx,
  row: MaintenanceRow,
  { phase, body }: { phase: NoticePhase; body: string },
): Promise<void> {
  await queueNotice(tx, row.id, {
    componentIds: row.component_ids,
    content: { kind: 'maintenance', title: row.title, phase, body, severity: null, at: tx.now.toISOString() },
  });
}

async function change(tx: PageTx, row: MaintenanceRow, changes: Partial<MaintenanceRow>): Promise<MaintenanceRow> {
  const changed = await tx.db
    .updateTable('status_maintenances')
    .set({ ...changes, updated_at: tx.now })
    .where(inPage(tx.page))
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await emit(tx, 'status.maintenance.updated', factsOf(changed));
  return changed;
}

function phaseColumns(row: MaintenanceRow, phase: MaintenancePhase, now: Date): Partial<MaintenanceRow> {
  return {
    phase,
    // A maintenance that has started needs no reminder.
    ...(phase !== 'scheduled' && { remind_at: null }),
    ...(phase === 'in_progress' && row.began_at === null && { began_at: now }),
    ...(phase === 'completed' && { completed_at: now }),
  };
}

/**
 * Adds an update and moves the maintenance to its phase.
 * @throws Problem NOT_FOUND, CONFLICT
 */
export async function addMaintenanceUpdate(
  ctx: PageCtx,
  id: MaintenanceId,
  { phase, body }: Static<typeof NewMaintenanceUpdate>,
): Promise<Maintenance> {
  return changeBoard(ctx, async (tx) => {
    const row = await find(tx, id);
    if (!NEXT[row.phase].includes(phase))
      throw problem(
        'CONFLICT',
        `A maintenance can go from ${row.phase} to ${NEXT[row.phase].join(' or ') || 'no other phase'}, not to ${phase}.`,
      );
    const before = await readStatuses(tx);
    const changed = await change(tx, row, phaseColumns(row, phase, tx.now));
    await (phase === row.phase ? writeUpdate : tell)(tx, changed, { body, before });
    return recordOf(tx, changed);
  });
}

/**
 * Changes a maintenance that is not over. Its start can change only before it.
 * @throws Problem NOT_FOUND, CONFLICT, VALIDATION_FAILED
 */
export async function updateMaintenance(
  ctx: PageCtx,
  id: MaintenanceId,
  { title, beginsAt, endsAt }: Static<typeof MaintenanceChanges>,
): Promise<Maintenance> {
  return changeBoard(ctx, async (tx) => {
    const row = await find(tx, id);
    if (row.phase === 'completed' || (beginsAt !== undefined && row.phase !== 'scheduled'))
      throw problem('CONFLICT', 'The maintenance has started or is completed.');
    const begins = beginsAt === undefined ? row.begins_at : instantOf(beginsAt);
    const ends = endsAt === undefined ? row.ends_at : instantOf(endsAt);
    requireOrder(begins, ends);
    const before = row.remind_at && (row.begins_at.getTime() - row.remind_at.getTime()) / MINUTE_MS;
    const changed = await change(tx, row, {
      begins_at: begins,
      ends_at: ends,
      ...(title !== undefined && { title }),
      ...(before !== null && { remind_at: reminder(begins, before, tx.now) }),
    });
    return recordOf(tx, changed);
  });
}

/**
 * Cancels a maintenance and notifies subscribers.
 * @throws Problem NOT_FOUND, CONFLICT when it has started
 */
export async function cancelMaintenance(ctx: PageCtx, id: MaintenanceId): Promise<void> {
  await changeBoard(ctx, async (tx) => {
    const row = await find(tx, id);
    if (row.phase !== 'scheduled') throw problem('CONFLICT', 'The maintenance has started: complete it instead.');
    await tx.db.deleteFrom('status_maintenances').where(inPage(tx.page)).where('id', '=', id).execute();
    await emit(tx, 'status.maintenance.cancelled', factsOf(row));
    await notice(tx, row, { phase: 'cancelled', body: '' });
  });
}

type Due = Pick<MaintenanceRow, 'phase' | 'remind_at' | 'begins_at' | 'ends_at'>;

/** True when a reminder, the start or the end is due. */
function isDue({ phase, remind_at, begins_at, ends_at }: Due, now: Date): boolean {
  if (phase === 'scheduled') return begins_at <= now || (remind_at !== null && remind_at <= now);
  return phase !== 'completed' && ends_at <= now;
}

/** Maintenances with a due reminder, start or end. */
export async function dueMaintenances({ db, page, now }: PageCtx): Promise<MaintenanceId[]> {
  const rows = await db
    .selectFrom('status_maintenances')
    .select(['id', 'phase', 'remind_at', 'begins_at', 'ends_at'])
    .where(inPage(page))
    .where('phase', '<>', 'completed')
    .execute();
  return rows.filter((row) => isDue(row, now)).map(({ id }) => id);
}

/**
 * Sends the reminder of a maintenance, starts it and ends it when due. Each happens once, even with concurrent
 * processes.
 */
export async function advanceMaintenance(ctx: PageCtx, id: MaintenanceId): Promise<void> {
  await changeBoard(ctx, async (tx) => {
    const row = await tx.db
      .selectFrom('status_maintenances')
      .selectAll()
      .where(inPage(tx.page))
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row || !isDue(row, tx.now)) return;
    if (row.phase !== 'scheduled' || row.ends_at <= tx.now) return advanceTo(tx, row, 'completed');
    if (row.begins_at <= tx.now) return advanceTo(tx, row, 'in_progress');
    const reminded = await change(tx, row, { remind_at: null });
    await notice(tx, reminded, { phase: 'reminder', body: '' });
  });
}

async function advanceTo(tx: PageTx, row: MaintenanceRow, phase: MaintenancePhase): Promise<void> {
  const before = await readStatuses(tx);
  await tell(tx, await change(tx, row, phaseColumns(row, phase, tx.now)), { body: '', before });
}

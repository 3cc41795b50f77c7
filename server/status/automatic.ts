import { emit } from '#events';
import { readStatuses, type StatusById } from './affected.ts';
import { changeBoard, type Policy } from './boards.ts';
import type { ComponentStatuses } from './combined-status.ts';
import { type MeasuredStatus, measuredStatuses } from './health.ts';
import type { IncidentRow } from './incident-records.ts';
import { changeIncident, insertIncident, phaseColumns, tellIncident } from './incidents.ts';
import { settleOverall } from './overall.ts';
import { inPage, type PageCtx, type PageDb, type PageTx } from './pages.ts';

/**
 * A component whose measured status changed. `since`: when the change began, which may be earlier than the time it is
 * stored.
 */
export type Transition = { componentId: string; to: MeasuredStatus; since: Date };

/** An automatic incident is resolved after this long without a failure. */
const WATCH_MS = 10 * 60_000;
const SEVERITY: Record<MeasuredStatus, IncidentRow['severity']> = {
  operational: 'minor',
  degraded_performance: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
};
const SEVERITIES: readonly IncidentRow['severity'][] = ['minor', 'major', 'critical'];

/** Splits changes into runs of failures and runs of recoveries, in order. */
export function inRuns(transitions: readonly Transition[]): Transition[][] {
  const runs: Transition[][] = [];
  for (const one of transitions) {
    const last = runs.at(-1);
    const same = last && (last[0]?.to === 'operational') === (one.to === 'operational');
    if (last && same) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

/**
 * Stores measured changes and applies the policy: failing components share one incident at a time, which moves to
 * monitoring when all of them have recovered. Idempotent: a change that is already stored has no effect.
 */
export async function applyTransitions(ctx: PageCtx, transitions: readonly Transition[]): Promise<void> {
  await changeBoard(ctx, async (tx, { automatic }) => {
    const before = await readStatuses(tx);
    const fresh: Transition[] = [];
    for (const transition of transitions) {
      // biome-ignore lint/performance/noAwaitInLoops: a few, in their order, on one connection
      if (await writeStatus(tx, transition)) fresh.push(transition);
    }
    if (fresh.length === 0) return;
    const counted = await unplanned(tx, fresh);
    const failed = counted.filter(({ to }) => to !== 'operational');
    if (failed.length > 0) await failedNow(tx, automatic, { failed, before });
    else await recoveredNow(tx, before);
    await settleOverall(tx);
  });
}

/** @returns false when the change is already stored */
async function writeStatus(tx: PageTx, { componentId, to, since }: Transition): Promise<boolean> {
  const before = await tx.db
    .selectFrom('status_components')
    .select('status')
    .where(inPage(tx.page))
    .where('id', '=', componentId)
    .executeTakeFirst();
  if (!before || before.status === to) return false;
  await tx.db
    .updateTable('status_components')
    .set({ status: to, status_since: since })
    .where(inPage(tx.page))
    .where('id', '=', componentId)
    .execute();
  await emit(tx, 'status.component.changed', {
    componentId,
    environment: tx.scope.environment,
    from: before.status,
    to,
    since: since.toISOString(),
  });
  return true;
}

/** Leaves out components under maintenance and components that are never shown: their failures open no incident. */
async function unplanned(tx: PageTx, transitions: readonly Transition[]): Promise<Transition[]> {
  const planned = await tx.db
    .selectFrom('status_maintenances')
    .select('component_ids')
    .where(inPage(tx.page))
    .where('phase', 'in', ['in_progress', 'verifying'])
    .execute();
  const hidden = await tx.db
    .selectFrom('status_components')
    .select('id')
    .where(inPage(tx.page))
    .where('shown', '=', 'never')
    .execute();
  const left = new Set([...planned.flatMap(({ component_ids }) => component_ids), ...hidden.map(({ id }) => id)]);
  return transitions.filter(({ componentId }) => !left.has(componentId));
}

function openAutomatic(tx: PageDb): Promise<IncidentRow | undefined> {
  return tx.db
    .selectFrom('status_incidents')
    .selectAll()
    .where(inPage(tx.page))
    .where('automatic', '=', true)
    .where('phase', '<>', 'resolved')
    .executeTakeFirst();
}

type Failed = { failed: readonly Transition[]; before: StatusById };

async function failedNow(tx: PageTx, policy: Policy, { failed, before }: Failed): Promise<void> {
  if (policy === 'off') return;
  const open = await openAutomatic(tx);
  const severity = failed.map(({ to }) => SEVERITY[to]).reduce(worse, open?.severity ?? 'minor');
  if (open) return joinIncident(tx, open, { failed, severity, before });
  const began = Math.min(...failed.map(({ since }) => since.getTime()));
  const row = await insertIncident(tx, {
    title: '',
    phase: 'investigating',
    severity,
    component_ids: failed.map(({ componentId }) => componentId),
    component_statuses: asMeasured(failed),
    automatic: true,
    published_at: policy === 'publish' ? tx.now : null,
    started_at: new Date(began),
  });
  await tellIncident(tx, row, { body: '', changed: true, before });
}

/** An automatic incident gives every component its measured status. */
function asMeasured(failed: readonly Transition[]): ComponentStatuses {
  return Object.fromEntries(failed.map(({ componentId }) => [componentId, measuredStatuses[0]]));
}

function worse(one: IncidentRow['severity'], other: IncidentRow['severity']): IncidentRow['severity'] {
  return SEVERITIES.indexOf(one) > SEVERITIES.indexOf(other) ? one : other;
}

/** Adds a component to the open incident. The phase changes only if the incident was in monitoring. */
async function joinIncident(
  tx: PageTx,
  open: IncidentRow,
  { failed, severity, before }: Failed & { severity: IncidentRow['severity'] },
): Promise<void> {
  const phase = open.phase === 'monitoring' ? 'investigating' : open.phase;
  const component_ids = [...new Set([...open.component_ids, ...failed.map(({ componentId }) => componentId)])];
  const same = phase === open.phase && severity === open.severity && component_ids.length === open.component_ids.length;
  if (same) return;
  const changed = await changeIncident(tx, open, {
    ...phaseColumns(open, phase, tx.now),
    severity,
    component_ids,
    component_statuses: { ...asMeasured(failed), ...open.component_statuses },
  });
  if (phase !== open.phase) await tellIncident(tx, changed, { body: '', changed: true, before });
}

/** All components of the open incident have recovered: moves it to monitoring. */
async function recoveredNow(tx: PageTx, before: StatusById): Promise<void> {
  const open = await openAutomatic(tx);
  if (!open || open.phase === 'monitoring' || !(await allWell(tx, open))) return;
  const changed = await changeIncident(tx, open, phaseColumns(open, 'monitoring', tx.now));
  await tellIncident(tx, changed, { body: '', changed: true, before });
}

async function allWell(tx: PageDb | PageTx, { component_ids }: IncidentRow): Promise<boolean> {
  const rows = await tx.db
    .selectFrom('status_components')
    .select(['id', 'status'])
    .where(inPage(tx.page))
    .where('status', '<>', measuredStatuses[0])
    .execute();
  return !rows.some(({ id }) => component_ids.includes(id));
}

/**
 * Advances the automatic incident: to monitoring once all its components have recovered or been removed, and to
 * resolved after {@link WATCH_MS} without a failure. Each step happens once.
 */
export async function resolveWatched(ctx: PageCtx): Promise<void> {
  // Called often, so the first check takes no lock. Served by status_incidents_automatic.
  const seen = await openAutomatic(ctx);
  if (!seen || !(await goesOn(ctx, seen))) return;
  await changeBoard(ctx, async (tx) => {
    const open = await openAutomatic(tx);
    if (!open || !(await goesOn(tx, open))) return;
    const before = await readStatuses(tx);
    const phase = open.phase === 'monitoring' ? 'resolved' : 'monitoring';
    const changed = await changeIncident(tx, open, phaseColumns(open, phase, tx.now));
    await tellIncident(tx, changed, { body: '', changed: true, before });
  });
}

/** True when the next phase of an automatic incident is due. */
async function goesOn(ctx: Pick<PageCtx, 'db' | 'page' | 'now'> | PageTx, open: IncidentRow): Promise<boolean> {
  return (open.phase !== 'monitoring' || isOver(open, ctx.now)) && (await allWell(ctx, open));
}

function isOver({ phase, phase_since }: IncidentRow, now: Date): boolean {
  return phase === 'monitoring' && now.getTime() - phase_since.getTime() >= WATCH_MS;
}

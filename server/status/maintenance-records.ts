import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Id } from '#platform/ids.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import type { Affected } from './affected.ts';
import { inPage, type OfPage, type PageDb } from './pages.ts';
import { type MaintenancePhase, type Update, updatesOf } from './updates.ts';
import type { Voice } from './words.ts';

export type MaintenanceId = Id<'mnt'>;
type StatusMaintenancesTable = OfPage & {
  id: MaintenanceId;
  title: string;
  phase: MaintenancePhase;
  component_ids: string[];
  begins_at: Date;
  ends_at: Date;
  remind_at: Date | null;
  began_at: Date | null;
  completed_at: Date | null;
  created_at: Date;
  updated_at: Date;
};
export type MaintenanceRow = Selectable<StatusMaintenancesTable>;

declare module '#platform/db.ts' {
  interface Tables {
    status_maintenances: StatusMaintenancesTable;
  }
}

export const Phase = Type.Enum(['scheduled', 'in_progress', 'verifying', 'completed']);

/** A maintenance as the public sees it. */
export const Maintenance = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    phase: Phase,
    beginsAt: Instant,
    endsAt: Instant,
    completedAt: nullable(Instant),
    updatedAt: Instant,
    componentIds: Type.Array(Type.String()),
    updates: Type.Array(Type.Object({ phase: Phase, body: Type.String(), at: Instant }), {
      description: 'Newest first.',
    }),
  },
  { title: 'Maintenance' },
);
export type Maintenance = Static<typeof Maintenance>;

/**
 * A maintenance as it is stored, in JSON. An empty body means that the update is automatic and worded in the reader's
 * language.
 */
export type StoredMaintenance = {
  id: string;
  title: string;
  phase: MaintenancePhase;
  componentIds: string[];
  beginsAt: string;
  endsAt: string;
  beganAt: string | null;
  completedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** `affected` is missing in snapshots of earlier versions, and null for updates written by them. */
  updates: { phase: MaintenancePhase; body: string; at: string; affected?: readonly Affected[] | null }[];
};

export function storedMaintenance(row: MaintenanceRow, updates: readonly Update[]): StoredMaintenance {
  return {
    id: row.id,
    title: row.title,
    phase: row.phase,
    componentIds: row.component_ids,
    beginsAt: row.begins_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    beganAt: row.began_at?.toISOString() ?? null,
    completedAt: row.completed_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    updates: updates.flatMap(({ phase, body, at, affected }) =>
      isPhase(phase) ? [{ phase, body, at: at.toISOString(), affected }] : [],
    ),
  };
}

const MAX_MAINTENANCES = 50;
const SHOWN_FOR = '14 days';

/** Maintenances that are planned, in progress, or ended within the last two weeks; the latest start first. */
export async function readMaintenances(ctx: PageDb, now: Date): Promise<StoredMaintenance[]> {
  const rows = await ctx.db
    .selectFrom('status_maintenances')
    .selectAll()
    .where(inPage(ctx.page))
    .where(sql<boolean>`(phase <> 'completed' or completed_at > ${now}::timestamptz - ${SHOWN_FOR}::interval)`)
    .orderBy('begins_at', 'desc')
    .limit(MAX_MAINTENANCES)
    .execute();
  const updates = await updatesOf(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => storedMaintenance(row, updates.get(row.id) ?? []));
}

/** The public record of a maintenance, in one language. */
export function maintenanceRecord(stored: StoredMaintenance, { say }: Voice): Maintenance {
  const { beganAt: _, createdAt: __, ...shown } = stored;
  return {
    ...shown,
    updates: stored.updates.map(({ phase, body, at }) => ({ phase, body: body || say(`own.${phase}`), at })),
  };
}

/** True while the maintenance is in progress. */
export function isUnderWay({ phase }: Pick<StoredMaintenance, 'phase'>): boolean {
  return phase === 'in_progress' || phase === 'verifying';
}

const PHASES: readonly string[] = ['scheduled', 'in_progress', 'verifying', 'completed'];

function isPhase(phase: string): phase is MaintenancePhase {
  return PHASES.includes(phase);
}

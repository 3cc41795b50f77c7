import { claimsOf, type OpenIncident, shownStatus } from './combined-status.ts';
import type { ComponentStatus } from './health.ts';
import { inPage, type PageDb } from './pages.ts';

/** The effect of an update on a component: the status shown before and after. */
export type Affected = { componentId: string; from: ComponentStatus; to: ComponentStatus };

/** The shown status of every component at one moment, by id; components that are never shown are left out. */
export type StatusById = ReadonlyMap<string, ComponentStatus>;

type Shown = { id: string; name: string | null; status: ComponentStatus };

/** Incidents that are public and not resolved. */
export async function readOpenIncidents({ db, page }: PageDb): Promise<OpenIncident[]> {
  const rows = await db
    .selectFrom('status_incidents')
    .select(['severity', 'component_ids as componentIds', 'component_statuses as componentStatuses'])
    .where(inPage(page))
    .where('phase', '<>', 'resolved')
    .where('published_at', 'is not', null)
    .execute();
  return rows;
}

/** The components that may be shown, with their current status, in display order. */
export async function readShown({ db, page }: PageDb): Promise<Shown[]> {
  const components = await db
    .selectFrom('status_components')
    .select(['id', 'name', 'status'])
    .where(inPage(page))
    .where('shown', '<>', 'never')
    .orderBy('position')
    .execute();
  const incidents = await readOpenIncidents({ db, page });
  const maintenances = await db
    .selectFrom('status_maintenances')
    .select('component_ids')
    .where(inPage(page))
    .where('phase', 'in', ['in_progress', 'verifying'])
    .execute();
  const bearing = {
    statuses: incidents.map(claimsOf),
    underMaintenance: new Set(maintenances.flatMap(({ component_ids }) => component_ids)),
  };
  return components.map(({ id, name, status }) => ({ id, name, status: shownStatus(id, status, bearing) }));
}

export async function readStatuses(ctx: PageDb): Promise<StatusById> {
  return new Map((await readShown(ctx)).map(({ id, status }) => [id, status]));
}

/** The statuses of these components before and after, for those that are shown. */
export async function affectedSince(
  ctx: PageDb,
  before: StatusById,
  componentIds: readonly string[],
): Promise<Affected[]> {
  const after = await readStatuses(ctx);
  return componentIds.flatMap((componentId) => {
    const [from, to] = [before.get(componentId), after.get(componentId)];
    return from && to ? [{ componentId, from, to }] : [];
  });
}

import type { ComponentStatus, MeasuredStatus } from './health.ts';

/** From best to worst, for a whole. */
const ORDER: readonly ComponentStatus[] = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
];

/** What an open incident says of components, beside what is measured. */
export type ComponentStatuses = Record<string, MeasuredStatus>;

/** What else bears on components: statuses that open incidents give them, and which are under maintenance. */
export type Bearing = { statuses: readonly ComponentStatuses[]; underMaintenance: ReadonlySet<string> };

/** The status of a component as it is shown: maintenance covers everything, otherwise the worst that is known. */
export function shownStatus(
  id: string,
  measured: MeasuredStatus,
  { statuses, underMaintenance }: Bearing,
): ComponentStatus {
  if (underMaintenance.has(id)) return 'under_maintenance';
  return worst([measured, ...statuses.flatMap((of) => of[id] ?? [])]);
}

export function worst(statuses: readonly ComponentStatus[]): ComponentStatus {
  return statuses.reduce<ComponentStatus>(
    (found, status) => (ORDER.indexOf(status) > ORDER.indexOf(found) ? status : found),
    'operational',
  );
}

/** True for what works, or is down as planned. */
export function isWell(status: ComponentStatus): boolean {
  return status === 'operational' || status === 'under_maintenance';
}

export type Severity = 'none' | 'minor' | 'major' | 'critical';

/** How bad it is as a whole: critical when everything is out, or half of it. */
export function severityOf(statuses: readonly ComponentStatus[]): Severity {
  const out = statuses.filter((status) => status === 'major_outage').length;
  if (out > 0) return out * 2 >= statuses.length ? 'critical' : 'major';
  if (statuses.includes('partial_outage')) return 'major';
  return statuses.every(isWell) ? 'none' : 'minor';
}

import type { ComponentStatus, MeasuredStatus } from './health.ts';

/** The severity of an incident. The overall status also has `none`. */
export type IncidentSeverity = 'minor' | 'major' | 'critical';
export type Severity = 'none' | IncidentSeverity;

/** From best to worst. */
const ORDER: readonly ComponentStatus[] = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
];

/** The statuses that an open incident gives to components, besides the measured ones. */
export type ComponentStatuses = Record<string, MeasuredStatus>;

/** The status that an incident gives to its components by its severity, unless it names another. */
const BY_SEVERITY: Record<IncidentSeverity, MeasuredStatus> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
};

/** The fields of a public, unresolved incident that affect the status. */
export type OpenIncident = {
  severity: IncidentSeverity;
  componentIds: readonly string[];
  componentStatuses: ComponentStatuses;
};

/** The statuses that an open incident gives to its components: the one of its severity, unless it names another. */
export function claimsOf({ severity, componentIds, componentStatuses }: OpenIncident): ComponentStatuses {
  const named = Object.fromEntries(componentIds.map((id) => [id, BY_SEVERITY[severity]]));
  return { ...named, ...componentStatuses };
}

/** What affects components besides measurements: the statuses that open incidents give them, and maintenance. */
export type Bearing = { statuses: readonly ComponentStatuses[]; underMaintenance: ReadonlySet<string> };

/** The shown status of a component: maintenance takes precedence, otherwise the worst known status. */
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

/** True for operational components and those under maintenance. */
export function isWell(status: ComponentStatus): boolean {
  return status === 'operational' || status === 'under_maintenance';
}

/** The severity by components alone: critical when at least half of them are out. */
function severityOfComponents(statuses: readonly ComponentStatus[]): Severity {
  const out = statuses.filter((status) => status === 'major_outage').length;
  if (out > 0) return out * 2 >= statuses.length ? 'critical' : 'major';
  if (statuses.includes('partial_outage')) return 'major';
  return statuses.every(isWell) ? 'none' : 'minor';
}

/** The status as a whole: what every surface shows. */
export type Overall = { overallStatus: 'operational' | 'degraded'; severity: Severity };

const SEVERITIES: readonly Severity[] = ['none', 'minor', 'major', 'critical'];

/**
 * The overall status: the worst of the shown components and the open incidents. An open incident always counts,
 * whichever components it names, during maintenance too.
 */
export function overallOf(
  statuses: readonly ComponentStatus[],
  open: readonly Pick<OpenIncident, 'severity'>[],
): Overall {
  const found = [severityOfComponents(statuses), ...open.map(({ severity }) => severity)];
  const severity = SEVERITIES.findLast((known) => found.includes(known)) ?? 'none';
  return { overallStatus: severity === 'none' ? 'operational' : 'degraded', severity };
}

import type { ComponentStatus, MeasuredStatus } from './health.ts';

/** Of incidents. The status as a whole has `none` besides. */
export type IncidentSeverity = 'minor' | 'major' | 'critical';
export type Severity = 'none' | IncidentSeverity;

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

/** What an incident says of the components it names, unless it says otherwise of one. */
const BY_SEVERITY: Record<IncidentSeverity, MeasuredStatus> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
};

/** An incident that is public and not resolved, as far as it bears on the status. */
export type OpenIncident = {
  severity: IncidentSeverity;
  componentIds: readonly string[];
  componentStatuses: ComponentStatuses;
};

/** What an open incident says of components: of each that it names the status of its severity, unless it says otherwise. */
export function claimsOf({ severity, componentIds, componentStatuses }: OpenIncident): ComponentStatuses {
  const named = Object.fromEntries(componentIds.map((id) => [id, BY_SEVERITY[severity]]));
  return { ...named, ...componentStatuses };
}

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

/** How bad it is by components alone: critical when everything is out, or half of it. */
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
 * How it is as a whole: the worst of what components are shown as and of the open incidents. An open incident always shows,
 * whichever components it names, and during maintenance too.
 */
export function overallOf(
  statuses: readonly ComponentStatus[],
  open: readonly Pick<OpenIncident, 'severity'>[],
): Overall {
  const found = [severityOfComponents(statuses), ...open.map(({ severity }) => severity)];
  const severity = SEVERITIES.findLast((known) => found.includes(known)) ?? 'none';
  return { overallStatus: severity === 'none' ? 'operational' : 'degraded', severity };
}

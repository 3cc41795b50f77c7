import type { System } from '#platform/system.ts';
import { pageAddressOf } from './addresses.ts';
import type { Affected } from './affected.ts';
import type { StoredIncident } from './incident-records.ts';
import { incidentTitle, isOpen } from './incident-records.ts';
import { isUnderWay, type StoredMaintenance } from './maintenance-records.ts';
import { headline, namesOf, standardVoice, type View } from './view.ts';
import type { Maker } from './views.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The addresses of a status page and the pages below it. */
export type Addresses = (view: View, path?: string) => string;

export function addressesOf(system: System): Addresses {
  return (view, path) => pageAddressOf(system, view.page, path);
}

/** A document of the public API of Statuspage. */
type Document = (view: View, addresses: Addresses) => Record<string, unknown>;

/** The documents below `/api/v2`, by path. */
const documents: Readonly<Record<string, Document>> = {
  'summary.json': (view, addresses) => ({
    ...head(view, addresses),
    components: components(view),
    incidents: view.incidents.filter(isOpen).map((incident) => incidentOf(view, incident, addresses)),
    scheduled_maintenances: view.maintenances
      .filter(({ phase }) => phase !== 'completed')
      .map((maintenance) => maintenanceOf(view, maintenance, addresses)),
    status: status(view),
  }),
  'status.json': (view, addresses) => ({ ...head(view, addresses), status: status(view) }),
  'components.json': (view, addresses) => ({ ...head(view, addresses), components: components(view) }),
  'incidents.json': (view, addresses) => incidents(view, addresses, () => true),
  'incidents/unresolved.json': (view, addresses) => incidents(view, addresses, isOpen),
  'scheduled-maintenances.json': (view, addresses) => maintenances(view, addresses, () => true),
  'scheduled-maintenances/upcoming.json': (view, addresses) =>
    maintenances(view, addresses, ({ phase }) => phase === 'scheduled'),
  'scheduled-maintenances/active.json': (view, addresses) => maintenances(view, addresses, isUnderWay),
};

export const statuspagePaths = Object.keys(documents);

/**
 * Makes one document.
 * @param path one of {@link statuspagePaths}
 */
export function statuspageMaker(path: string, system: System): Maker {
  const addresses = addressesOf(system);
  const document = documents[path];
  return {
    key: `v2/${path}`,
    type: JSON_TYPE,
    make: (view) => JSON.stringify(document ? document(view, addresses) : {}),
  };
}

function head(view: View, addresses: Addresses) {
  return {
    page: {
      id: view.page.slug ?? view.environment,
      name: view.name,
      url: addresses(view),
      time_zone: 'Etc/UTC',
      updated_at: view.generatedAt,
    },
  };
}

function status(view: View) {
  return { indicator: view.severity, description: headline(view, standardVoice(view)) };
}

/** In Statuspage groups are components too, listed before their members. */
function components(view: View) {
  const nameOf = namesOf(view, standardVoice(view));
  return view.groups.flatMap((group, groupIndex) => {
    const first = group.components[0];
    const since = first?.createdAt ?? view.generatedAt;
    return [
      {
        ...frame(view, {
          id: group.id,
          name: group.name ?? standardVoice(view).nameOf(group.id),
          status: group.status,
        }),
        created_at: since,
        updated_at:
          group.components
            .map((component) => component.since)
            .sort()
            .at(-1) ?? since,
        position: groupIndex + 1,
        description: null,
        start_date: since.slice(0, 10),
        group_id: null,
        group: true,
        components: group.components.map(({ id }) => id),
      },
      ...group.components.map((component, index) => ({
        ...frame(view, { id: component.id, name: nameOf(component.id), status: component.status }),
        created_at: component.createdAt,
        updated_at: component.since,
        position: index + 1,
        description: component.description ?? standardVoice(view).aboutOf(component.id),
        start_date: component.createdAt.slice(0, 10),
        group_id: group.id,
        group: false,
      })),
    ];
  });
}

function frame(view: View, { id, name, status: state }: { id: string; name: string; status: string }) {
  return {
    id,
    name,
    status: state,
    showcase: true,
    page_id: view.page.slug ?? view.environment,
    only_show_if_degraded: false,
  };
}

function incidents(view: View, addresses: Addresses, chosen: (incident: StoredIncident) => boolean) {
  return {
    ...head(view, addresses),
    incidents: view.incidents.filter(chosen).map((incident) => incidentOf(view, incident, addresses)),
  };
}

function maintenances(view: View, addresses: Addresses, chosen: (maintenance: StoredMaintenance) => boolean) {
  return {
    ...head(view, addresses),
    scheduled_maintenances: view.maintenances
      .filter(chosen)
      .map((maintenance) => maintenanceOf(view, maintenance, addresses)),
  };
}

function common(view: View, subject: StoredIncident | StoredMaintenance, addresses: Addresses) {
  const { say } = standardVoice(view);
  const affected = new Set(subject.componentIds);
  return {
    id: subject.id,
    status: subject.phase,
    created_at: subject.createdAt,
    updated_at: subject.updatedAt,
    monitoring_at: subject.updates.find(({ phase }) => phase === 'monitoring')?.at ?? null,
    shortlink: addresses(view, `/incidents/${subject.id}`),
    page_id: view.page.slug ?? view.environment,
    incident_updates: subject.updates.map(({ phase, body, at, affected: changes }, index) => ({
      id: `${subject.id}-${subject.updates.length - index}`,
      status: phase,
      body: body || say(`own.${phase}`),
      incident_id: subject.id,
      created_at: at,
      updated_at: at,
      display_at: at,
      affected_components: affectedComponents(view, changes),
      deliver_notifications: true,
      custom_tweet: null,
      tweet_id: null,
    })),
    components: components(view).filter(({ id, group }) => !group && affected.has(id)),
  };
}

/** The effect of an update on components; null, as in Statuspage, when it was not recorded. */
function affectedComponents(view: View, changes: readonly Affected[] | null | undefined) {
  if (!changes) return null;
  const nameOf = namesOf(view, standardVoice(view));
  const known = new Set(view.names.map(({ id }) => id));
  return changes
    .filter(({ componentId }) => known.has(componentId))
    .map(({ componentId, from, to }) => ({
      code: componentId,
      name: nameOf(componentId),
      old_status: from,
      new_status: to,
    }));
}

function incidentOf(view: View, incident: StoredIncident, addresses: Addresses) {
  const voice = standardVoice(view);
  return {
    ...common(view, incident, addresses),
    name: incidentTitle(incident, voice, namesOf(view, voice)),
    impact: incident.severity,
    started_at: incident.startedAt,
    resolved_at: incident.resolvedAt,
  };
}

function maintenanceOf(view: View, maintenance: StoredMaintenance, addresses: Addresses) {
  return {
    ...common(view, maintenance, addresses),
    name: maintenance.title,
    impact: 'maintenance',
    started_at: maintenance.beganAt ?? maintenance.beginsAt,
    resolved_at: maintenance.completedAt,
    scheduled_for: maintenance.beginsAt,
    scheduled_until: maintenance.endsAt,
  };
}

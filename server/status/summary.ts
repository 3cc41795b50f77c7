import { type Static, Type } from 'typebox';
import { Instant } from '#platform/schemas.ts';
import { ComponentStatus } from './health.ts';
import { Incident, incidentRecord, isOpen } from './incident-records.ts';
import { Maintenance, maintenanceRecord } from './maintenance-records.ts';
import { caveats, headline, namesOf, standardVoice, type View } from './view.ts';

const ComponentRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  status: ComponentStatus,
  uptime90d: Type.Union([Type.Number(), Type.Null()], {
    description:
      'Percent of the last 90 days: 100 × (1 − (major outage + partial outage ÷ 2) ÷ measured), in minutes, without planned maintenance. Null until something is measured.',
  }),
  updatedAt: Instant,
});

export const Summary = Type.Object({
  overallStatus: Type.Enum(['operational', 'degraded'], {
    description:
      '`degraded` as soon as any component is neither operational nor under planned maintenance, or an incident is open. Treat an unknown value as not operational.',
  }),
  severity: Type.Enum(['none', 'minor', 'major', 'critical'], {
    description: 'The worst of the components and the open incidents.',
  }),
  summary: Type.String(),
  generatedAt: Instant,
  environment: Type.Enum(['test', 'production']),
  groups: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      status: ComponentStatus,
      components: Type.Array(ComponentRecord),
    }),
  ),
  incidents: Type.Array(Incident, { description: 'Incidents that are not resolved.' }),
  maintenances: Type.Array(Maintenance, { description: 'Maintenances that are planned or in progress.' }),
  subscriptionChannels: Type.Array(Type.String()),
  lastKnownAt: Type.Union([Instant, Type.Null()], {
    description:
      'When incidents and maintenances were last read, if the database does not respond now. Otherwise null.',
  }),
});
export type Summary = Static<typeof Summary>;

/** The summary of a view, in the default language of its page. */
export function summarise(view: View): Summary {
  const voice = standardVoice(view);
  const nameOf = namesOf(view, voice);
  return {
    overallStatus: view.overallStatus,
    severity: view.severity,
    summary: sentence(view),
    generatedAt: view.generatedAt,
    environment: view.environment,
    groups: view.groups.map(({ id, name, status, components }) => ({
      id,
      name: name ?? voice.nameOf(id),
      status,
      components: components.map((component) => ({
        id: component.id,
        name: nameOf(component.id),
        description: component.description ?? voice.aboutOf(component.id),
        status: component.status,
        uptime90d: component.uptime,
        updatedAt: component.since,
      })),
    })),
    incidents: view.incidents.filter(isOpen).map((incident) => incidentRecord(incident, voice, nameOf)),
    maintenances: view.maintenances
      .filter(({ phase }) => phase !== 'completed')
      .map((maintenance) => maintenanceRecord(maintenance, voice)),
    subscriptionChannels: [...view.channels],
    lastKnownAt: view.lastKnownAt,
  };
}

/** The status as a sentence, in the default language of its page. */
export function sentence(view: View): string {
  const voice = standardVoice(view);
  const names = view.affected.map(({ id }) => namesOf(view, voice)(id)).join(', ');
  const affected = names === '' ? [] : [voice.say('overall.affected', { components: names })];
  return [headline(view, voice), ...affected, ...caveats(view, voice)].join(' ');
}

import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** The public API of Statuspage as it is on the wire (https://metastatuspage.com/api), every field and no more. */

const Instant = Type.String({ format: 'date-time' });
const closed = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, { additionalProperties: false });
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const ComponentStatus = Type.Enum([
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
]);

const page = closed({
  id: Type.String(),
  name: Type.String(),
  url: Type.String({ format: 'uri' }),
  time_zone: Type.String(),
  updated_at: Instant,
});
const status = closed({
  indicator: Type.Enum(['none', 'minor', 'major', 'critical']),
  description: Type.String(),
});
const Component = closed({
  id: Type.String(),
  name: Type.String(),
  status: ComponentStatus,
  created_at: Instant,
  updated_at: Instant,
  position: Type.Integer(),
  description: nullable(Type.String()),
  showcase: Type.Boolean(),
  start_date: nullable(Type.String({ format: 'date' })),
  group_id: nullable(Type.String()),
  page_id: Type.String(),
  group: Type.Boolean(),
  only_show_if_degraded: Type.Boolean(),
  components: Type.Optional(Type.Array(Type.String())),
});

function subject(phases: string[], impacts: string[]) {
  const IncidentUpdate = closed({
    id: Type.String(),
    status: Type.Enum(phases),
    body: Type.String(),
    incident_id: Type.String(),
    created_at: Instant,
    updated_at: Instant,
    display_at: Instant,
    affected_components: nullable(
      Type.Array(
        closed({ code: Type.String(), name: Type.String(), old_status: ComponentStatus, new_status: ComponentStatus }),
      ),
    ),
    deliver_notifications: Type.Boolean(),
    custom_tweet: nullable(Type.String()),
    tweet_id: nullable(Type.Integer()),
  });
  return {
    id: Type.String(),
    name: Type.String(),
    status: Type.Enum(phases),
    created_at: Instant,
    updated_at: Instant,
    monitoring_at: nullable(Instant),
    resolved_at: nullable(Instant),
    impact: Type.Enum(impacts),
    shortlink: Type.String({ format: 'uri' }),
    started_at: Instant,
    page_id: Type.String(),
    incident_updates: Type.Array(IncidentUpdate),
    components: Type.Array(Component),
  };
}

const components = Type.Array(Component);
const incidents = Type.Array(
  closed(
    subject(
      ['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'],
      ['none', 'minor', 'major', 'critical'],
    ),
  ),
);
const scheduled_maintenances = Type.Array(
  closed({
    ...subject(['scheduled', 'in_progress', 'verifying', 'completed'], ['none', 'maintenance']),
    scheduled_for: Instant,
    scheduled_until: Instant,
  }),
);

const documents: Record<string, ReturnType<typeof closed>> = {
  'summary.json': closed({ page, status, components, incidents, scheduled_maintenances }),
  'status.json': closed({ page, status }),
  'components.json': closed({ page, components }),
  'incidents.json': closed({ page, incidents }),
  'incidents/unresolved.json': closed({ page, incidents }),
  'scheduled-maintenances.json': closed({ page, scheduled_maintenances }),
  'scheduled-maintenances/upcoming.json': closed({ page, scheduled_maintenances }),
  'scheduled-maintenances/active.json': closed({ page, scheduled_maintenances }),
};

/**
 * What readers of Statuspage would not understand in a document.
 * @param path below `/api/v2/`
 */
export function statuspageFaults(path: string, document: unknown): string[] {
  const schema = documents[path];
  if (!schema) return [`${path} is no document of Statuspage`];
  return Compile(schema)
    .Errors(document)
    .map(({ instancePath, message }) => `${path}${instancePath} ${message}`);
}

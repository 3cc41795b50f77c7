import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const componentId = 'cmp_01kaz3w9hqf8p9n2m4v5x6y7z8';
const templateId = 'stt_01kaz3w9hqf8p9n2m4v5x6y7z8';
const groupId = 'grp_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Incident = Type.Object({
  incidentId: text,
  title: text,
  phase: text,
  severity: text,
  componentIds: Type.Array(text),
});
const incident = {
  incidentId: 'inc_01kaz3w9hqf8p9n2m4v5x6y7z8',
  title: 'Sign-in is slow',
  phase: 'investigating',
  severity: 'minor',
  componentIds: ['auth'],
};
const Maintenance = Type.Object({ maintenanceId: text, title: text, phase: text, componentIds: Type.Array(text) });
const maintenance = {
  maintenanceId: 'mnt_01kaz3w9hqf8p9n2m4v5x6y7z8',
  title: 'Database upgrade',
  phase: 'scheduled',
  componentIds: ['database'],
};
const Subscriber = Type.Object({ subscriberId: text, channel: text });
const subscriber = { subscriberId: 'sub_01kaz3w9hqf8p9n2m4v5x6y7z8', channel: 'email' };

export const events = {
  'status.component.changed': define(
    'The measured status of a component changed.',
    Type.Object({ componentId: text, environment: text, from: text, to: text, since: text }),
    {
      componentId: 'auth',
      environment: 'production',
      from: 'operational',
      to: 'major_outage',
      since: '2026-01-31T12:00:00.000Z',
    },
  ),
  'status.component.created': define(
    'A component was added to the status.',
    Type.Object({ componentId: text, name: text }),
    { componentId, name: 'Shop' },
  ),
  'status.component.updated': define(
    'The display of a status component changed.',
    Type.Object({ componentId: text, changed: Type.Array(text) }),
    { componentId, changed: ['name'] },
  ),
  'status.component.deleted': define('A component was removed from the status.', Type.Object({ componentId: text }), {
    componentId,
  }),
  'status.group.created': define('A group was added to the status.', Type.Object({ groupId: text, name: text }), {
    groupId,
    name: 'Shops',
  }),
  'status.group.updated': define(
    'A group of the status changed.',
    Type.Object({ groupId: text, changed: Type.Array(text) }),
    { groupId, changed: ['name'] },
  ),
  'status.group.deleted': define('A group was removed from the status.', Type.Object({ groupId: text }), { groupId }),
  'status.degraded': define(
    'The status of an environment went from operational to degraded.',
    Type.Object({ environment: text, componentIds: Type.Array(text) }),
    { environment: 'production', componentIds: ['auth'] },
  ),
  'status.restored': define(
    'The status of an environment went back to operational.',
    Type.Object({ environment: text, componentIds: Type.Array(text) }),
    { environment: 'production', componentIds: [] },
  ),
  'status.incident.created': define(
    'An incident was opened.',
    Type.Object({ ...Incident.properties, automatic: Type.Boolean(), draft: Type.Boolean() }),
    { ...incident, automatic: true, draft: false },
  ),
  'status.incident.updated': define('An incident changed.', Incident, incident),
  'status.incident.resolved': define('An incident is over.', Incident, { ...incident, phase: 'resolved' }),
  'status.incident.deleted': define('The draft of an incident was deleted.', Type.Object({ incidentId: text }), {
    incidentId: incident.incidentId,
  }),
  'status.maintenance.scheduled': define(
    'A maintenance was planned.',
    Type.Object({ ...Maintenance.properties, beginsAt: text, endsAt: text }),
    { ...maintenance, beginsAt: '2026-01-31T12:00:00.000Z', endsAt: '2026-01-31T13:00:00.000Z' },
  ),
  'status.maintenance.updated': define('A maintenance changed, started or ended.', Maintenance, {
    ...maintenance,
    phase: 'in_progress',
  }),
  'status.maintenance.cancelled': define('A maintenance was cancelled.', Maintenance, maintenance),
  'status.template.created': define(
    'A template of incidents or maintenances was added.',
    Type.Object({ templateId: text, kind: text, name: text }),
    { templateId, kind: 'incident', name: 'Mail is delayed' },
  ),
  'status.template.updated': define(
    'A template of incidents or maintenances changed.',
    Type.Object({ templateId: text, changed: Type.Array(text) }),
    { templateId, changed: ['body'] },
  ),
  'status.template.deleted': define(
    'A template of incidents or maintenances was removed.',
    Type.Object({ templateId: text }),
    { templateId },
  ),
  'status.page.updated': define(
    'The status page of the project was made, published, hidden or moved to another address, or others see it now.',
    Type.Object({ published: Type.Boolean(), address: text, audience: Type.Enum(['public', 'members']) }),
    { published: true, address: 'shop-4f1c0a9b7e', audience: 'members' },
  ),
  'status.settings.updated': define('Settings of the status changed.', Type.Object({ changed: Type.Array(text) }), {
    changed: ['automatic'],
  }),
  'status.subscription.requested': define(
    'A subscription to the status was requested. The event does not say whether the address is known.',
    Type.Object({ channel: text }),
    { channel: 'email' },
  ),
  'status.subscriber.confirmed': define('A subscription was confirmed.', Subscriber, subscriber),
  'status.subscriber.updated': define('A subscription changed.', Subscriber, subscriber),
  'status.subscriber.unsubscribed': define('A subscription was ended.', Subscriber, subscriber),
  'status.subscriber.quarantined': define(
    'A subscription was suspended: `bounce`, messages to it are refused for good; `unreached`, three in a row did not arrive over a day or more; `failing`, its receiver is gone or has failed for days.',
    Type.Object({ ...Subscriber.properties, reason: text }),
    { ...subscriber, reason: 'bounce' },
  ),
  'status.texts.left': define(
    'Subscribers got no text message about an incident or maintenance: the page offers none now, the SMS add-on has ended, its cap is reached, or their numbers had as many as the guard allows in an hour.',
    Type.Object({ subjectId: text, count: Type.Integer() }),
    { subjectId: incident.incidentId, count: 3 },
  ),
  'status.subscribers.imported': define(
    'Subscribers were imported, with their consent.',
    Type.Object({ added: Type.Integer(), skipped: Type.Integer() }),
    { added: 12, skipped: 1 },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

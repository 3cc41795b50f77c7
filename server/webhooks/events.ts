import { Type } from 'typebox';
import { define, type EventData, text } from '#platform/event.ts';

const Endpoint = Type.Object({ endpointId: text, url: text });
const endpoint = { endpointId: 'whe_01kaz3w9hqf8p9n2m4v5x6y7z8', url: 'https://example.com/hooks' };

export const events = {
  'webhook.endpoint.created': define('A webhook endpoint was added.', Endpoint, endpoint),
  'webhook.endpoint.updated': define(
    'A webhook endpoint was changed.',
    Type.Object({ ...Endpoint.properties, changed: Type.Array(text) }),
    { ...endpoint, changed: ['events'] },
  ),
  'webhook.endpoint.deleted': define('A webhook endpoint was removed.', Endpoint, endpoint),
  'webhook.endpoint.enabled': define(
    'A webhook endpoint was enabled; pending deliveries continue.',
    Endpoint,
    endpoint,
  ),
  'webhook.endpoint.disabled': define(
    'A webhook endpoint was disabled: by request (`request`), because it returned 410 (`gone`), or because every attempt failed for five days (`failing`).',
    Type.Object({ ...Endpoint.properties, reason: text }),
    { ...endpoint, reason: 'failing' },
  ),
  'webhook.endpoint.secret_rotated': define(
    'A webhook endpoint has a new signing secret; the previous one also signs until `overlapUntil`.',
    Type.Object({ ...Endpoint.properties, overlapUntil: text }),
    { ...endpoint, overlapUntil: '2026-01-02T00:00:00.000Z' },
  ),
  'webhook.endpoint.tested': define(
    'An example event was sent to a webhook endpoint.',
    Type.Object({ ...Endpoint.properties, type: text }),
    { ...endpoint, type: 'user.created' },
  ),
  'webhook.endpoint.retried': define(
    'A delivery was scheduled for another attempt on request.',
    Type.Object({ ...Endpoint.properties, deliveryId: text, eventId: text }),
    {
      ...endpoint,
      deliveryId: 'dlv_01kaz3w9hqf8p9n2m4v5x6y7z8',
      eventId: 'evt_01kaz3w9hqf8p9n2m4v5x6y7z8',
    },
  ),
  'webhook.endpoint.replayed': define(
    'Events of a time range are sent to a webhook endpoint again.',
    Type.Object({ ...Endpoint.properties, since: text, until: text }),
    { ...endpoint, since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' },
  ),
  'webhook.endpoint.recovered': define(
    'The events that a webhook endpoint missed since a point in time are sent again.',
    Type.Object({ ...Endpoint.properties, since: text }),
    { ...endpoint, since: '2026-01-01T00:00:00.000Z' },
  ),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}

import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { eventTypeRoutes } from './event-types.admin.ts';
import { feedRoutes } from './feed.admin.ts';

export { Dispatcher, type Follower, type NumberedEvent } from './dispatcher.ts';
export {
  describeEventType,
  type Event,
  EventPattern,
  isSelected,
  requireExample,
  requireKnownPatterns,
  selectedTypes,
} from './event-types.ts';
export { emit, emitAll, type NewEvent, publicActor } from './events.ts';

export { addressesInEvents, anonymiseEvents, eventsOfUser, isErased } from './events-of-user.ts';

export { eventsById, lastSequence, readEvents } from './reading.ts';

export const part = {
  routes: {
    admin: [...eventTypeRoutes, ...feedRoutes],
  },
  permissions: {
    'events:read': 'Read the event feed',
  },
  removals: [rowsOfProject('events'), rowsOfProject('event_sequences')],
  imported: ['events'],
} satisfies Part;

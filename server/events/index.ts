export { Dispatcher, type Follower, type NumberedEvent } from './dispatcher.ts';
export { eventTypeRoutes } from './event-types.admin.ts';
export {
  describeEventType,
  type Event,
  EventPattern,
  exampleOf,
  isSelected,
  requireEventType,
  requireKnownPatterns,
  selectedTypes,
} from './event-types.ts';
export { analyseEvents, emit, emitAll, emitIn, type NewEvent, publicActor } from './events.ts';

export { addressesInEvents, anonymiseEvents, eventsOfUser, isErased } from './events-of-user.ts';

export { feedRoutes } from './feed.admin.ts';
export { eventsPart } from './part.ts';
export { eventsById, lastSequence, readEvents } from './reading.ts';

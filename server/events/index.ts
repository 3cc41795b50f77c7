export { Dispatcher, type Follower, type NumberedEvent } from './dispatcher.ts';
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
export { analyseEvents, emit, emitAll, type NewEvent, publicActor } from './events.ts';

export { addressesInEvents, anonymiseEvents, eventsOfUser, isErased } from './events-of-user.ts';

export { eventsPart } from './part.ts';
export { eventsById, lastSequence, readEvents } from './reading.ts';
export { routes } from './routes.ts';

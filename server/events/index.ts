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
export { type EventCount, emit, emitAll, type NewEvent, publicActor } from './events.ts';

export { addressesInEvents, anonymiseEvents, eventsOfUser, isErased } from './events-of-user.ts';
export { part } from './part.ts';
export { areUnnumbered, eventsById, lastSequence, readEvents, traceIdsOf } from './reading.ts';

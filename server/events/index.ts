export { catalogue, type EventData, type EventType } from './catalogue.ts';
export { Dispatcher, dispatchLag } from './dispatcher.ts';
export { emit, emitAll, type NewEvent } from './events.ts';

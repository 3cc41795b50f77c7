export { Dispatcher } from './dispatcher.ts';
export { emit, emitAll } from './events.ts';

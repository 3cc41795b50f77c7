import type { Static } from 'typebox';
import { operationEvents } from './catalogue-operation.ts';
import { peopleEvents } from './catalogue-people.ts';
import { projectEvents } from './catalogue-project.ts';
import { statusEvents } from './catalogue-status.ts';
import type { Definition } from './definition.ts';

/** All event types: meaning, data, and an example. `emit` is typed by it. */
export const catalogue = {
  ...projectEvents,
  ...peopleEvents,
  ...operationEvents,
  ...statusEvents,
} as const satisfies Record<string, Definition>;

export type EventType = keyof typeof catalogue;

export type EventData<T extends EventType> = Static<(typeof catalogue)[T]['data']>;

export const eventTypes = Object.keys(catalogue).filter((type): type is EventType => type in catalogue);

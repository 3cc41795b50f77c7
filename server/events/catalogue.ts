import type { EventDefinition } from '#platform/event.ts';
import { perSystem } from '#platform/system.ts';

/** All event types by name, as the parts declare them. */
export const catalogueOf = perSystem(
  ({ parts }): ReadonlyMap<string, EventDefinition> =>
    new Map(parts.flatMap(({ events = {} }) => Object.entries(events)).sort(([a], [b]) => (a < b ? -1 : 1))),
);

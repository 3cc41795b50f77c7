import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const eventsPart = {
  removals: [rowsOfProject('events'), rowsOfProject('event_sequences')],
} satisfies Part;

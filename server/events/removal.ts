import { type Removal, rowsOfProject } from '#platform/removal.ts';

export const eventRemovals: readonly Removal[] = [rowsOfProject('events'), rowsOfProject('event_sequences')];
